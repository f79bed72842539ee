"""What goes wrong, as exceptions with the words of the library: the thing, its value, and what is allowed."""


class EndoramaError(Exception):
    """Everything that the library refuses, or cannot do."""


class InvalidArgument(EndoramaError, ValueError):
    """An argument is out of its documented range."""


class OutOfMemory(EndoramaError, MemoryError):
    """Memory of the host or the device ran out, or a size limit was passed."""


class DeviceFailed(EndoramaError, RuntimeError):
    """The device failed, or none is usable."""


class Unsupported(EndoramaError, NotImplementedError):
    """This build or back end cannot compute what was asked for."""


class InternalError(EndoramaError, RuntimeError):
    """A defect of the library."""


class Cancelled(EndoramaError):
    """The call was ended before it was done."""


class EndoramaWarning(UserWarning):
    """A result without some of the frames, or one that is wrong as a whole; the text says why and what helps."""


# By the number of an endo_status.
BY_STATUS = {1: InvalidArgument, 2: OutOfMemory, 3: DeviceFailed, 4: Unsupported, 5: InternalError, 6: Cancelled}
