"""Logs without data: where an error happened and of what kind, never its text."""

import logging
import traceback

_LOGGERS = ("nicegui", "uvicorn.error", "asyncio")


class _WithoutText(logging.Filter):
    """Keeps the lines of code of a traceback; an error's own text may quote what was being read."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the text off a record that carries an error."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is None and isinstance(record.msg, BaseException):
            error = record.msg
        if error is not None:
            lines = "".join(traceback.format_tb(error.__traceback__))
            record.msg = (
                f"{type(error).__name__} (its text is left out: it may quote data)\n{lines}"
            )
            record.args, record.exc_info, record.exc_text = (), None, None
        return True


def keep_data_out_of_logs() -> None:
    """Let the server's own logs say where an error happened, and not what it says."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, _WithoutText) for known in logger.filters):
            logger.addFilter(_WithoutText())
