"""A target that is a program of this machine."""

def _program_on_path(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        "#!/bin/sh\nexec %s \"$@\"\n" % ctx.attr.program,
        is_executable = True,
    )
    return [DefaultInfo(executable = script)]

program_on_path = rule(
    implementation = _program_on_path,
    attrs = {"program": attr.string(mandatory = True, doc = "Its name.")},
    executable = True,
    doc = "Runs a program that is found on PATH, so it is not hermetic.",
)
