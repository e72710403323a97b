"""What the tests see of the program's objects: stand-ins that ask over the link.

A stand-in is of two kinds. The tests' own text constructed a made one; every
other is a result. What a made one is asked to judge makes the case
candidate_judged. A result judges nothing: it has the plain value that it
crossed with, or its use as one fails the test. See docs/harness-protocol.md.
"""
import types

from _glovebox import exam
from _glovebox.wire import OPERATORS

MAX_STEPS = 1_000_000
NOTHING = object()  # no plain value came with an object


def dunder(names):
    return frozenset("__%s__" % n for n in names.split())


COMPARING = dunder("eq ne lt le gt ge")
COMPUTING = dunder("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod pow rpow matmul rmatmul and rand "
                   "or ror xor rxor lshift rlshift rshift rrshift iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor")
CONVERTING = dunder("int float index complex round trunc floor ceil abs neg pos invert")
MIRRORED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__", "__eq__": "__eq__", "__ne__": "__ne__"}
# Methods of plain values that answer with a judgement of their argument.
JUDGING_METHODS = frozenset("startswith endswith issubset issuperset isdisjoint isalpha isdigit isalnum isdecimal isnumeric isupper "
                            "islower isspace istitle isidentifier isprintable isascii is_integer is_close equals".split())
# Methods of plain values that say whether something is in them. Where the tests use
# no objects of classes, only a plain value answers them.
SEARCHING_METHODS = frozenset("find index count rfind rindex".split())
# Methods that texts and sets alone have, likewise.
TEXT_METHODS = frozenset(
    "strip lstrip rstrip split rsplit splitlines lower upper replace translate join partition rpartition casefold swapcase capitalize "
    "center ljust rjust zfill removeprefix removesuffix encode decode expandtabs union intersection difference symmetric_difference".split())
GUARDED = JUDGING_METHODS | SEARCHING_METHODS | TEXT_METHODS
# Underscored names of the program's objects that tests may read.
READABLE = frozenset(("__name__", "__qualname__", "__doc__", "__wrapped__", "__annotations__", "__all__", "__version__",
                      "__slots__", "__members__", "__dataclass_fields__", "__defaults__", "__author__"))


class State:
    """What the harness knows of an object of the program."""

    __slots__ = ("link", "handle", "made", "plain", "steps")

    def __init__(self, link, handle, made=False, plain=NOTHING):
        self.link, self.handle, self.made, self.plain, self.steps = link, handle, made, plain, 0


def state_of(v):
    """The State of a stand-in for an object, or None."""
    return object.__getattribute__(v, "_state") if isinstance(type(v), RemoteClass) else None


def is_made(v):
    state = state_of(v)
    return state is not None and state.made


def stand_in(c, state):
    found = object.__new__(c)
    object.__setattr__(found, "_state", state)
    return found


def made(v):
    """Makes a made object of what a construction that the tests spell gave."""
    state = state_of(v)
    return v if state is None else stand_in(type(v), State(state.link, state.handle, True, state.plain))


def same(a, b):
    """Identity, as the tests ask for it: between two objects of the program it
    is what the program says."""
    mine, theirs = state_of(a), state_of(b)
    if mine is None or theirs is None:
        return a is b
    if mine.handle != theirs.handle:
        return False
    if not fixed(a) and not mine.link.judged:
        if not mine.made and not theirs.made:
            mine.link.refuse("the tests ask whether two objects of the program's class %s are one, where their text does not say so" % type(a).__name__)
        mine.link.judged = True
    return True


def fixed(v):
    """Tells whether an object is a member of an enumeration, whose members were
    told apart before anything was compared."""
    return object.__getattribute__(v, "_state").handle in type(v)._members


def member(link, v, name, strict):
    """A method that plain values have, of a value that the tests got. strict: the
    tests' text uses nothing of the value but what plain values have."""
    state = state_of(v)
    if state is not None:
        if not state.made and (name in JUDGING_METHODS or strict or not link.with_objects):
            return plain_of(v, "." + name, lambda p: getattr(p, name))
    elif isinstance(v, (RemoteFunction, RemoteClass, RemoteModule, BoundMethod, Opaque)) or isinstance(v, (type, types.ModuleType) + CALLABLE) and \
            getattr(v, "__module__", v.__name__) not in exam.TEST_MODULES:
        link.refuse("the program gave %r where the tests use a plain value (.%s)" % (v, name))
    return getattr(v, name)


CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)


def own_member(v, name):
    """What the program has under names that the tests spell."""
    if isinstance(v, (RemoteFunction, RemoteClass)):
        return v._link.attribute(v, v._handle, name, True)
    return getattr(v, name)


class Opaque:
    """A value that cannot cross; it equals nothing but itself."""

    __slots__ = ("_kind",)

    def __init__(self, kind):
        self._kind = str(kind)[:100]

    def __repr__(self):
        return "<%s in the program's process>" % self._kind


class RemoteFunction:
    __slots__ = ("_link", "_handle", "__name__", "__qualname__")

    def __init__(self, link, handle, name):
        set = object.__setattr__
        set(self, "_link", link)
        set(self, "_handle", handle)
        set(self, "__name__", name)
        set(self, "__qualname__", name)

    def __call__(self, *args, **kwargs):
        link = self._link
        link.doing = doing(self.__name__, args)
        return link.call("call", self._handle, args, kwargs)

    def __getattr__(self, name):
        return self._link.attribute(self, self._handle, name)

    def __setattr__(self, name, value):
        self._link.set(self._handle, name, value)

    def __repr__(self):
        return "<function %s of the program>" % self.__name__


def doing(name, args):
    return " during %s(%s)" % (name, exam.clip(", ".join(exam.bounded_repr(a, 60) for a in args), 200))


class Bound:
    """What a reply says that an attribute is: a method of its owner."""


class BoundMethod:
    __slots__ = ("_link", "_owner", "_handle", "_name")

    def __init__(self, link, owner, handle, name):
        self._link, self._owner, self._handle, self._name = link, owner, handle, name

    @property
    def __name__(self):
        return self._name

    @property
    def __self__(self):
        return self._owner

    def __call__(self, *args, **kwargs):
        state = state_of(self._owner)
        if state is not None and not state.made and (self._name in JUDGING_METHODS or self._name in SEARCHING_METHODS and (
                state.plain is not NOTHING) or self._name in GUARDED and not self._link.with_objects):
            return plain_of(self._owner, "." + self._name, lambda p: getattr(p, self._name)(*args, **kwargs))
        self._link.doing = doing(self._name, args)
        return self._link.call("method", self._handle, args, kwargs, self._name)

    def __repr__(self):
        return "<method %s of an object of the program>" % self._name


class RemoteClass(type):
    """A class of the program."""

    def __new__(kind, name, bases, space):
        base = next(b for b in bases if isinstance(b, RemoteClass) and "_link" in vars(b))
        base._link.refuse("a class of the tests is made of the program's class %s in another box" % base.__name__)

    def __call__(cls, *args, **kwargs):
        cls._link.doing = doing(cls.__name__, args)
        return cls._link.call("call", cls._handle, args, kwargs)

    def __getattr__(cls, name):
        if name in ("_link", "_handle", "_members", "_special", "_constants"):
            raise AttributeError(name)
        found = cls._constants.get(name)
        if found is None:
            found = cls._link.attribute(cls, cls._handle, name)
            # A member of an enumeration stays the same.
            if state_of(found) is not None and state_of(found).handle in cls._members:
                cls._constants[name] = found
        return found

    def __setattr__(cls, name, value):
        cls._constants.pop(name, None)
        cls._link.set(cls._handle, name, value)

    def __iter__(cls):
        return cls._link.call("method", cls._handle, (), {}, "__iter__")

    def __getitem__(cls, key):
        return cls._link.call("method", cls._handle, (key,), {}, "__getitem__")

    # What an enumeration has. Without these a class is never empty.

    def __bool__(cls):
        return True

    def __len__(cls):
        return cls._of_class("__len__")

    def __reversed__(cls):
        return cls._of_class("__reversed__")

    # What is in a class is what it gives when it is iterated: it is no judge.

    def _of_class(cls, name):
        try:
            return cls._link.call("method", cls._handle, (), {}, name)
        except AttributeError:
            raise TypeError("the class %s has no %s" % (cls.__name__, name)) from None


class Remote:
    """Base of the stand-ins for the program's objects."""

    __slots__ = ("_state", "__weakref__")

    def __getattr__(self, name):
        state = object.__getattribute__(self, "_state")
        return state.link.attribute(self, state.handle, name)

    def __setattr__(self, name, value):
        state = object.__getattribute__(self, "_state")
        state.link.set(state.handle, name, value)

    def __delattr__(self, name):
        state = object.__getattribute__(self, "_state")
        state.link.ask("delete", h=state.handle, name=name)

    def __copy__(self, deep=False):
        state = object.__getattribute__(self, "_state")
        v = state.link.ask("copy", h=state.handle, deep=deep)
        return made(v) if state.made else v

    def __deepcopy__(self, memo):
        return self.__copy__(True)

    def __reduce_ex__(self, protocol):
        object.__getattribute__(self, "_state").link.refuse("an object of the program is pickled in the tests' box")

    def __eq__(self, other):
        return judge(self, other, "__eq__")

    def __ne__(self, other):
        equal = judge(self, other, "__eq__")
        return equal if equal is NotImplemented else not equal

    def __hash__(self):
        return hash(object.__getattribute__(self, "_state").handle)

    def __format__(self, spec):
        if spec == "":
            return str(self)
        return plain_of(self, "a format", lambda p: format(p, spec))

    def __repr__(self):
        return "<%s object of the program>" % type(self).__name__


def make_class(link, handle, name, parents, special, members):
    """Makes the stand-in for a class. special are the special methods that it
    has, members the handles of an enumeration's members."""
    space = {"__slots__": (), "_link": link, "_handle": handle, "__module__": "solution", "_special": frozenset(special),
             "_members": members, "_constants": {}}
    for n in special:
        if n != "__ne__":
            space[n] = operator(n)
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    try:
        return type.__new__(RemoteClass, name, tuple(parents), space)
    except TypeError:
        return type.__new__(RemoteClass, name, (Remote,), space)


def operator(name):
    if name in COMPARING:
        return lambda self, other: judge(self, other, name)
    if name in COMPUTING:
        return lambda self, *args: compute(self, args, name)
    if name in CONVERTING:
        return lambda self, *args: convert(self, args, name)
    if name in SPECIAL:
        return SPECIAL[name]

    def method(self, *args):
        state = object.__getattribute__(self, "_state")
        v = state.link.call("method", state.handle, args, {}, name)
        theirs = state_of(v)
        # A context or an iterator that is the object itself.
        return self if theirs is not None and theirs.handle == state.handle and name in SELF else v
    method.__name__ = name
    return method


SELF = dunder("enter iter aenter aiter")


def ask(self, name, *args):
    state = object.__getattribute__(self, "_state")
    return state.link.call("method", state.handle, args, {}, name)


def plain_of(self, use, f):
    """Uses the plain value that a result crossed with. One that has none fails
    the test."""
    state = object.__getattribute__(self, "_state")
    if state.plain is NOTHING:
        state.link.refuse("the program gave an object of its class %s where the tests use a plain value (%s)" % (type(self).__name__, use))
    return f(state.plain)


def own(v):
    """Tells whether a value judges by the tests' own means."""
    return type(v).__module__ in exam.TEST_MODULES or type(v).__module__ == "_glovebox.pytester"


def judge(self, other, name):
    """A comparison."""
    state, theirs = state_of(self), state_of(other)
    equality = name in ("__eq__", "__ne__")
    if other is None and equality:
        return name == "__ne__"
    defined = name in type(self)._special
    if state.made or theirs is not None and (theirs.made or state.link.pairs and state.plain is NOTHING):
        if defined:
            state.link.judged = True
            v = state.link.call("method", state.handle, (other,), {}, name)
            return v if v is NotImplemented or v is True or v is False else made(v)
        if equality and theirs is not None and theirs.handle == state.handle:
            state.link.judged = True
            return name == "__eq__"
        return NotImplemented
    if theirs is not None and equality and type(self) is type(other) and fixed(self) and fixed(other):
        return (state.handle == theirs.handle) == (name == "__eq__")
    if state.plain is not NOTHING:
        right = other if theirs is None else theirs.plain
        return NotImplemented if right is NOTHING else getattr(type(state.plain), name)(state.plain, right)
    if own(other) or theirs is None and not defined:
        return NotImplemented
    if theirs is not None and not defined:
        if equality and theirs.handle != state.handle:
            return NotImplemented
        if not equality:
            return NotImplemented
    against = "another object of the program" if theirs is not None else exam.bounded_repr(other, 200)
    state.link.refuse("the program gave an object of its class %s, which the tests compare (%s) with %s: "
                      "only a plain value, or an object that the tests construct by the class's name, can be compared" % (
                          type(self).__name__, name[2:-2], against))


def compute(self, args, name):
    """An operator with an operand."""
    state = state_of(self)
    if state.made or any(map(is_made, args)):
        state.link.judged = True
        v = state.link.call("method", state.handle, args, {}, name)
        return v if v is NotImplemented else made(v)
    operands = [a if state_of(a) is None else state_of(a).plain for a in args]
    if any(a is NOTHING for a in operands):
        return NotImplemented
    return plain_of(self, name[2:-2], lambda p: getattr(type(p), name, lambda *a: NotImplemented)(p, *operands))


def convert(self, args, name):
    """A conversion to a number, or an operator without an operand."""
    if is_made(self):
        return made(ask(self, name, *args))
    return plain_of(self, name[2:-2], lambda p: getattr(type(p), name)(p, *args))


def truth(self):
    if is_made(self):
        return ask(self, "__bool__")
    return plain_of(self, "truth", bool)


def length(self):
    return ask(self, "__len__")


def contains(self, value):
    state = state_of(self)
    if state.made:
        state.link.judged = True
        return ask(self, "__contains__", value)
    if state.plain is not NOTHING:
        return value in state.plain
    if "__iter__" not in type(self)._special:
        return plain_of(self, "membership", None)
    items = list(self)  # all of them crossed before one is compared
    return any(x is value or x == value for x in items)


def key(self):
    state = state_of(self)
    if state.made:
        state.link.judged = True
        return ask(self, "__hash__")
    if state.plain is not NOTHING:
        return hash(state.plain)
    return hash(state.handle)


def form(self, spec):
    if is_made(self):
        return ask(self, "__format__", spec)
    return Remote.__format__(self, spec)


def step(self):
    state = object.__getattribute__(self, "_state")
    state.steps += 1
    if state.steps > MAX_STEPS:
        state.link.die("an iterator of the program that does not end")
    return state.link.call("method", state.handle, (), {}, "__next__")


def leave(self, name, e):
    """The end of a `with` block. A context of the program may swallow errors,
    but not the tests' own verdict."""
    state = object.__getattribute__(self, "_state")
    free = e is None or id(e) in state.link.raised and not isinstance(e, AssertionError) or \
        isinstance(e, Exception) and not isinstance(e, (AssertionError, exam.Skip)) and type(e) is not Exception
    args = (None, None, None) if e is None or not free else (type(e), e, None)
    v = state.link.call("method", state.handle, args, {}, name)
    if name == "__exit__":
        return bool(free and state_of(v) is None and v)

    async def wait():
        swallows = await v
        return bool(free and state_of(swallows) is None and swallows)
    return wait()


SPECIAL = {"__contains__": contains, "__bool__": truth, "__len__": length, "__hash__": key, "__format__": form, "__next__": step,
           "__exit__": lambda self, kind, value, tb: leave(self, "__exit__", value),
           "__aexit__": lambda self, kind, value, tb: leave(self, "__aexit__", value)}


def awaitable(link, handle):
    async def wait():
        return link.ask("wait", h=handle)
    return wait()


class RemoteModule(types.ModuleType):
    """A module of the program."""

    def __getattr__(self, name):
        d = object.__getattribute__(self, "__dict__")
        if name == "__all__":
            return d["_world"].star(self, d["_names"])
        if name.startswith("__") and name not in READABLE:
            raise AttributeError(name)
        world = d["_world"]
        if name in d["_submodules"]:
            import importlib
            return importlib.import_module(d["_submodules"][name])
        try:
            return world.named(d["_handle"], name)
        except AttributeError:
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name)) from None

    def __setattr__(self, name, value):
        d = object.__getattribute__(self, "__dict__")
        inside = isinstance(value, types.ModuleType) and value.__name__ == "%s.%s" % (self.__name__, name)
        if "_handle" not in d or name.startswith("__") or inside or isinstance(value, RemoteModule):
            d[name] = value
        else:
            d["_world"].link.set(d["_handle"], name, value)
