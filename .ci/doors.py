"""What the reference pages show of a room: the names that its door lists above the split."""

import griffe

SPLIT = "# For other rooms"


class Doors(griffe.Extension):
    """Take the surface of a door for what it exports."""

    def on_module(self, *, mod: griffe.Module, **_: object) -> None:
        """Note the names, once a module's source has been read."""
        if mod.path.count(".") == 1 and mod.is_init_module:
            end = next((i for i, line in enumerate(mod.lines, 1) if line.startswith(SPLIT)), None)
            mod.exports = [
                name
                for name, member in mod.members.items()
                if member.is_alias and (end is None or (member.alias_lineno or 0) < end)
            ]
