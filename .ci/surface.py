"""What the reference pages list: of a room, the names that its door imports above the split."""

import griffe


class Surface(griffe.Extension):
    """Takes `from … import x as x` for an export, up to the line `# isort: split`."""

    def on_module_members(self, *, mod: griffe.Module, **_: object) -> None:
        """Tell the exports of a door; modules without such imports keep what they have."""
        if not mod.is_init_module or mod.exports is not None:
            return
        lines = mod.filepath.read_text(encoding="utf-8").splitlines()
        end = lines.index("# isort: split") if "# isort: split" in lines else len(lines)
        names = [
            name
            for name, member in mod.members.items()
            if member.is_alias and (member.alias_lineno or 0) <= end
        ]
        if names:
            mod.exports = names
