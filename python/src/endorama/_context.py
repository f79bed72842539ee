"""Where the library computes: the processor or GPUs, and with how much of them."""
import ctypes
import threading
from contextlib import contextmanager
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _interface
from ._errors import InvalidArgument
from ._library import Handle, defaults, fill, library


class Context:
    """A back end with its options. Made once, it may serve any number of calls; several threads may share it, one call at a
    time. After endo_context of native/include/endorama/context.h.

    Args:
        backend: "auto" (default: CUDA where a usable device is, else the processor), "cpu" or "cuda".
        threads: of the processor, 1..256; 0 (default): all that the process may use, with a device at most 8.
        cpu: highest instruction set: "best" (default), "c", "avx2" or "avx512".
        device: number of the CUDA device, from 0 (default); or a sequence of 2..8 numbers, which share the pairs of a call.
        memory_limit: bytes of device memory that may be taken; 0 (default): all.

    Raises:
        InvalidArgument: an option is out of its range.
        DeviceFailed, Unsupported: "cuda" was asked for and there is no usable device, or this build has no CUDA. "auto" never
            fails for that: `note` then has the reason.
        OutOfMemory.
    """

    def __init__(self, backend: str = "auto", *, threads: int = 0, cpu: str = "best", device: Union[int, Sequence[int]] = 0,
                 memory_limit: int = 0):
        self._options = defaults("endo_context_options")
        fill(self._options, backend=backend, threads=threads, cpu=cpu, memory_limit=memory_limit)
        if isinstance(device, int):
            self._options.device = device
        else:
            if len(device) > _interface.ENDO_MAX_DEVICES:
                raise InvalidArgument(f"{len(device)} devices: must be at most {_interface.ENDO_MAX_DEVICES}")
            self._options.n_devices = len(device)
            self._options.devices[:len(device)] = [int(number) for number in device]
        self._lock = threading.RLock()
        self._handle = Handle("context")
        library.endo_context_create_abi(ctypes.byref(self._options), _interface.ENDO_ABI, ctypes.byref(self._handle.pointer))

    @contextmanager
    def _use(self, call=None):
        """The library's context, for one thread; the call's hook says when to stop."""
        with self._lock:
            pointer = self._open()
            if call is None:
                yield pointer
                return
            library.endo_context_set_cancel(pointer, call.cancel_hook, None)
            try:
                with call:
                    yield pointer
            finally:
                library.endo_context_set_cancel(pointer, _interface.endo_cancel_hook(), None)

    def _open(self):
        if not self._handle.pointer:
            raise InvalidArgument("the context is closed")
        return self._handle.pointer

    @property
    def description(self) -> str:
        """The back end, for people: "cpu (avx512, 2 threads)"."""
        return library.endo_context_description(self._open()).decode()

    @property
    def threads(self) -> int:
        """Threads of the processor, 1..256."""
        return library.endo_context_threads(self._open())

    @property
    def note(self) -> str:
        """Why "auto" computes on the processor, or why there are fewer threads than were asked for; else ""."""
        return library.endo_context_note(self._open()).decode()

    def close(self) -> None:
        """Gives back memory and device; the context cannot be used any more."""
        with self._lock:
            self._handle.close()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<endorama.Context {self.description}>" if self._handle.pointer else "<endorama.Context, closed>"


_defaults = threading.local()


def context_or_default(context: Optional[Context]) -> Context:
    """The context that was given, or one with the default options, which a thread keeps."""
    if context is None:
        if not hasattr(_defaults, "context"):
            _defaults.context = Context()
        return _defaults.context
    return context


def options_of(context: Optional[Context]):
    """The options of a context, for runs that start a back end of their own."""
    return context._options if context else defaults("endo_context_options")


class Device(NamedTuple):
    """A CUDA device."""

    name: str
    compute_capability: Tuple[int, int]
    multiprocessors: int
    memory: int  #: bytes
    free_memory: int  #: bytes
    usable: bool  #: compute capability 7.5 or newer


def devices() -> List[Device]:
    """The CUDA devices of this machine. Empty where there are none: `why_no_devices` says why.

    Raises:
        DeviceFailed: a device cannot be asked.
    """
    found = []
    for number in range(library.endo_device_count(None, 0)):
        info = _interface.endo_device_info()
        library.endo_device_describe(number, ctypes.byref(info))
        found.append(Device(info.name.decode(), (info.major, info.minor), info.multiprocessors, info.memory,
                            info.free_memory, bool(info.usable)))
    return found


def why_no_devices() -> str:
    """Why there are no CUDA devices: no driver, a build without CUDA ...; "" where there are some."""
    reason = ctypes.create_string_buffer(_interface.ENDO_REASON_SIZE)
    library.endo_device_count(reason, len(reason))
    return reason.value.decode()
