"""`bpp_render`: blueprints rendered as part of a Bazel build."""

def _staged(file):
    """The path of an input in the copy: sources and generated files in one tree."""
    path = file.short_path
    return "external/" + path[3:] if path.startswith("../") else path

def _bpp_render(ctx):
    kind = ctx.attr.format or ("json" if ctx.file.src.extension in ("json", "jsonc") else "yaml")
    out = ctx.actions.declare_file(ctx.attr.out or "%s.%s" % (ctx.label.name, kind))
    single = [f for f in [ctx.file.state, ctx.file.datasources, ctx.file.lock] if f]
    inputs = depset([ctx.file.src] + single + ctx.files.vars_files + ctx.files.data)

    args = ctx.actions.args()
    args.add(ctx.file._script)
    args.add(ctx.executable._bpp)
    args.add(out)
    for file in inputs.to_list():
        args.add(file)
        args.add(_staged(file))
    args.add("--")
    args.add(_staged(ctx.file.src))
    args.add("--format", kind)
    for name, value in ctx.attr.vars.items():
        args.add("--var", "%s=%s" % (name, value))
    for file in ctx.files.vars_files:
        args.add("--vars", _staged(file))
    if ctx.file.state:
        args.add("--state", _staged(ctx.file.state))
    if ctx.file.datasources:
        args.add("--datasources", _staged(ctx.file.datasources))
    if ctx.file.lock:
        args.add("--lock", _staged(ctx.file.lock))
    if ctx.attr.strict:
        args.add("--strict")
    args.add_all(ctx.attr.options)

    ctx.actions.run(
        executable = "/bin/sh",
        outputs = [out],
        inputs = depset([ctx.file._script], transitive = [inputs]),
        tools = [ctx.attr._bpp[DefaultInfo].files_to_run],
        arguments = [args],
        mnemonic = "BppRender",
        progress_message = "Rendering %s" % ctx.file.src.short_path,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

bpp_render = rule(
    implementation = _bpp_render,
    doc = "Renders a blueprint. The output is the rule's only file.",
    attrs = {
        "src": attr.label(
            allow_single_file = [".yaml", ".yml", ".json", ".jsonc"],
            mandatory = True,
            doc = "The blueprint.",
        ),
        "data": attr.label_list(
            allow_files = True,
            doc = "The files that it reads: child blueprints, files of `file()`.",
        ),
        "out": attr.string(doc = "The output's name; default: that of the rule, `.yaml` or `.json`."),
        "format": attr.string(
            values = ["", "yaml", "json"],
            doc = "The output's format; default: that of `src`.",
        ),
        "vars": attr.string_dict(doc = "Variables. They can be read in the logs of Bazel."),
        "vars_files": attr.label_list(allow_files = True, doc = "Variables; later files win."),
        "state": attr.label(allow_single_file = True, doc = "What is known of the deployment."),
        "datasources": attr.label(allow_single_file = True, doc = "Records for data sources."),
        "lock": attr.label(allow_single_file = True, doc = "What is fetched must be as in this."),
        "strict": attr.bool(doc = "Whatever is still unknown is an error."),
        "options": attr.string_list(doc = "More options of `bpp render`."),
        "_script": attr.label(default = "//:render.sh", allow_single_file = True),
        "_bpp": attr.label(default = "//:bpp", executable = True, cfg = "exec"),
    },
)
