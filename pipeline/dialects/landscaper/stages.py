"""The stages of a blueprint in their order; each shows what it found, targets masked."""

from __future__ import annotations

from collections.abc import Callable

from ...engine.run import Context
from ...formats.go_yaml import read_go
from ...language.errors import Failure
from ...values.diagnostics import meant
from ...values.document import Document
from ...values.settings import SECRETS_MASK
from .blueprint import read_blueprint
from .components import read_components
from .documents import ITEMS, SUBS, document_of, whole
from .exports import compute_exports
from .imports import given_values, resolve_imports
from .installation import Installation
from .options import IMPORT, options_of
from .parts import Parts
from .phases import find_deploy_items, find_subinstallations, run_import_executions
from .recognition import QUOTES
from .supplied import read_given, read_supplied


def load(document: Document, context: Context) -> Document:
    """Reads the blueprint, its components, and what the options supply.

    Raises:
        ValueError: the options are not those of blueprints.
    """
    options = options_of(context.options)
    told = context.diagnostics
    told.stage = "load"
    source = document.source
    context.quoting.admit(source, QUOTES)
    root = read_go(source, context.meter, told)
    if root is None:
        return document
    told.stage = "validate"
    blueprint = read_blueprint(root, source, document.folder, told)
    if blueprint is None:
        return document
    told.stage = "imports"
    supplied = read_supplied(options, blueprint, context)
    context.quoting.conceal(supplied.private)
    told.stage = "registry"
    components = read_components(options, context)
    parts = Parts(context.files, document.folder, context)
    inside = (blueprint, context, options, components, parts, supplied)
    work = Installation(*inside, options.name, way=(source.text,))
    context.work.keep(work)
    _check_slots(work)
    made = document.evolve(root=blueprint.root)
    context.work.written = made
    if context.documents is not None:
        context.documents.append(made)
    return made


def _check_slots(work: Installation) -> None:
    """Warns of states that no execution has."""
    slots = {one.slot for one in work.blueprint.all_executions() if one.phase != IMPORT}
    known = work.known.get("state")
    for name in known.items if known is not None else ():
        if name not in slots and known is not None:
            summary = f"no execution has the state `{name}`"
            work.told.warn("state_unused", known.key_span(name), summary, meant(name, slots))


def installation_of(context: Context) -> Installation:
    """The work that `load` kept.

    Raises:
        Failure: without the stage `load`.
    """
    found = context.work.find(Installation)
    if found is None:
        raise Failure("nothing_to_render", "no blueprint was read", hint="add the stage `load`")
    return found


def _stage(
    run: Callable[[Installation], None], *parts: str, imports: bool = False
) -> Callable[[Document, Context], Document]:
    """A stage that runs a phase of the root installation, and shows some of its parts."""

    def stage(document: Document, context: Context) -> Document:
        work = installation_of(context)
        run(work)
        shown = document_of(work, parts, imports)
        return document.evolve(root=shown, withheld=work.withheld())

    return stage


imports = _stage(lambda work: resolve_imports(work, given_values(work)), imports=True)
import_executions = _stage(run_import_executions, imports=True)
subinstallations = _stage(find_subinstallations, SUBS)
deploy_items = _stage(find_deploy_items, ITEMS, SUBS)


def exports(document: Document, context: Context) -> Document:
    """Renders subinstallations where that is asked for, and computes the exports."""
    work = installation_of(context)
    given = work.options.export_templates
    templates = read_given(given, context) if given is not None else None
    if templates is not None:
        from .simulation import Simulation

        context.work.keep(Simulation(templates, work))
    if work.options.renders_nested:
        from .nested import conclude

        conclude(work)
    elif work.exporting:
        compute_exports(work)
    product = context.settings.secrets != SECRETS_MASK
    return document.evolve(root=whole(work), withheld=work.withheld(), product=product)
