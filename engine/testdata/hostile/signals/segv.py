# want: runtime_error
import ctypes
ctypes.string_at(0)
