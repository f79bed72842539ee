"""Long calls: progress, messages, and how Ctrl-C or an exception of a callback ends them."""
import signal
import threading
import warnings
from typing import Callable, List, NamedTuple, Optional

from . import _interface
from ._errors import EndoramaWarning
from ._library import word

Progress = Optional[Callable[[float], None]]
# Levels of messages that a user must see.
_TROUBLE = ("lost", "warning")


class Message(NamedTuple):
    """What a run has to say."""

    level: str  #: "note", "log", "lost" (the result is without some of the frames) or "warning" (it is wrong as a whole)
    kind: str  #: what it is about: "backend", "field", "light", "left out", "shape" ...
    first: int  #: first frame concerned, from 0; -1: none
    last: int  #: last frame concerned; -1: none
    text: str  #: one line; frames are numbered from 1 there


class Call:
    """The hooks of one call. Used with `with`: at its end an interruption or an exception of a callback is raised.

    Python handles signals between its own instructions: a handler that only takes note is there during the call, and the
    library asks at least every 200 ms whether to stop. A second Ctrl-C goes to the handler that was there before.
    """

    def __init__(self, progress: Progress = None):
        self.messages: List[Message] = []
        self._progress = progress
        self._failure = None
        self._interrupts = 0
        self._handler = None
        kinds = dict(_interface.endo_mosaic_hooks._fields_)
        self.hooks = _interface.endo_mosaic_hooks(
            event=kinds["event"](self._event), progress=kinds["progress"](self._advance) if progress else kinds["progress"](),
            cancelled=kinds["cancelled"](self._cancelled))
        self.cancel_hook = _interface.endo_cancel_hook(self._cancelled)

    def fail(self, failure):
        """Ends the call, which then raises `failure`."""
        if self._failure is None:
            self._failure = failure

    def _event(self, _, event):
        try:
            one = event.contents
            self.messages.append(Message(word("endo_event_level", one.level), word("endo_event_kind", one.kind),
                                         one.first, one.last, one.text.decode("utf-8", "replace")))
        except BaseException as failure:
            self.fail(failure)

    def _advance(self, _, share):
        try:
            if self._failure is None:
                self._progress(share)
        except BaseException as failure:
            self.fail(failure)

    def _cancelled(self, _):
        return int(self._interrupts > 0 or self._failure is not None)

    def _interrupted(self, number, frame):
        self._interrupts += 1
        if self._interrupts > 1:
            self._handler(number, frame)

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_):
        if self._handler:
            signal.signal(signal.SIGINT, self._handler)
        if self._failure is not None:
            raise self._failure from None
        if self._interrupts:
            self._handler(signal.SIGINT, None)

    def warn(self, level=3):
        """Tells of what makes a result wrong or leaves frames out as Python's warnings do, as of the caller `level` - 1
        functions up."""
        for message in self.messages:
            if message.level in _TROUBLE:
                warnings.warn(message.text, EndoramaWarning, stacklevel=level)


def outcome(verdicts, registered, backend):
    """How many frames of a sequence were registered, in a line."""
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    words = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    return f"{int(registered.sum())} of {len(verdicts)} frames registered ({words}), {backend or 'no back end'}"


def troubles(messages):
    """The messages of what makes a result wrong or leaves frames out, line by line."""
    return [f"{one.level}: {one.text}" for one in messages if one.level in _TROUBLE]
