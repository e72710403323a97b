"""The harness's side of an exam: runs the tests; the program is in another box.

What the tests see of the program are stand-ins that send calls over the link.
A verdict rests on what this process did and counted itself. Nothing that comes
over the link is believed: it is decoded to exact plain values, and the first
breach of the protocol ends the exam for good.
"""
import _thread
import builtins
import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import types

from _glovebox import exam, layout
from _glovebox.wire import (NOT_PURE, OPERATORS, PURE, Decoder, Encoder, Unencodable, Violation, read_frame, write_frame)

LINK_IN, LINK_OUT = 3, 4
MAX_STEPS = 1_000_000
MAX_NESTING = 50

ERRORS = {n: v for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)}
STANDARD_ERRORS = frozenset((
    ("decimal", "InvalidOperation"), ("decimal", "DivisionByZero"), ("json.decoder", "JSONDecodeError"), ("re", "error"),
    ("struct", "error"), ("binascii", "Error"), ("asyncio.exceptions", "TimeoutError"), ("asyncio.exceptions", "CancelledError"),
    ("queue", "Empty"), ("queue", "Full"), ("dataclasses", "FrozenInstanceError"), ("configparser", "NoSectionError"),
    ("zoneinfo._common", "ZoneInfoNotFoundError"), ("csv", "Error"), ("_csv", "Error"), ("statistics", "StatisticsError"),
    ("threading", "BrokenBarrierError"), ("concurrent.futures._base", "TimeoutError"), ("string", "TemplateError")))

# Special methods that answer with a judgement. A result that came back from a
# call may not judge itself: only its plain value does.
JUDGING = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"))
COMPUTING = frozenset(n for n in OPERATORS if n[2:-2] in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod pow rpow matmul rmatmul and rand or ror "
    "xor rxor lshift rlshift rshift rrshift iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor abs neg pos "
    "invert round trunc floor ceil").split())
JUDGING_METHODS = frozenset("startswith endswith issubset issuperset isdisjoint isalpha isdigit isalnum isdecimal isnumeric "
                            "isupper islower isspace istitle isidentifier isprintable isascii is_integer".split())
# Underscored names of the program's objects that tests may read.
READABLE = frozenset(("__name__", "__qualname__", "__doc__", "__wrapped__", "__annotations__", "__all__", "__version__",
                      "__slots__", "__members__", "__dataclass_fields__", "__defaults__", "__author__"))
# What a conftest.py may define that only pytest can call.
PYTEST_HOOKS = frozenset(("pytest_generate_tests", "pytest_addoption", "pytest_collect_file", "pytest_pycollect_makeitem"))
ALIASES = {"np": "numpy", "pd": "pandas"}


class Gone(BaseException):
    """The program can no longer be asked. No test can swallow it for good."""


class Unsendable(BaseException):
    """A value of the tests that cannot cross the link."""

    open = 0  # how many were raised and not accounted for

    def __init__(self, what):
        super().__init__(what)
        Unsendable.open += 1


class RemoteError(Exception):
    """An exception of the program whose class the tests cannot know."""


class Link:
    def __init__(self):
        self.number = 0
        self.dead = None
        self.uses = 0
        self.answered = False
        self.lock = _thread.RLock()
        self.nesting = 0
        self.doing = ""
        self.objects, self.classes, self.modules = {}, {}, {}
        self.lent, self.lent_ids = [], {}  # the tests' own objects that the program may use
        self.failed = {}  # see Runner.details
        self.by_name = set()  # handles of functions and classes that the tests named
        self.raised = {}  # id: (exception of the program, its place)

    # Asking.

    def die(self, why):
        if self.dead is None:
            self.dead = why
        raise Gone(self.dead)

    def ask(self, op, refs=(), **fields):
        """Sends a request and returns the decoded value of its reply."""
        reply = self.exchange(op, refs, fields)
        return self.guard(lambda: self.decoder(refs)(reply["v"]))

    def guard(self, f):
        try:
            return f()
        except (Violation, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as e:
            self.die("the program's process broke the protocol: %s" % e)

    def exchange(self, op, refs, fields):
        if self.dead:
            raise Gone(self.dead)
        with self.lock:
            self.number += 1
            number = self.number
            try:
                write_frame(LINK_OUT, dict(fields, op=op, n=number))
                reply = self.receive(number)
            except (Gone, Unsendable):
                raise
            except OSError:
                self.die("the program's process ended" + self.doing)
            except BaseException as e:
                self.die("the program's process broke the protocol: %s" % e)
        self.answered = True
        out = reply.get("out")
        if out is not None:
            text = self.guard(lambda: Decoder()(out))
            if type(text) is not str:
                self.die("the program's process broke the protocol: its output")
            if sys.stdout is not sys.__stdout__:
                sys.stdout.write(text)
        if "changed" in reply:
            self.guard(lambda: self.change(reply["changed"], refs))
        if "x" in reply:
            e = self.guard(lambda: self.exception(reply["x"]))
            raise e
        if "opaque" in reply:
            reply["v"] = {"opaque": str(reply["opaque"])[:200]}
        return reply

    def receive(self, number):
        """Reads the reply to a request, and serves what the program asks until then."""
        while True:
            m = read_frame(LINK_IN)
            if m is None:
                self.die("the program's process ended" + self.doing)
            if type(m) is not dict or type(m.get("n")) is not int or m["n"] != number:
                raise Violation("a reply out of turn")
            if "back" not in m:
                return m
            self.nesting += 1
            if self.nesting > MAX_NESTING:
                raise Violation("calls back nested too deep")
            try:
                write_frame(LINK_OUT, dict(self.lend(m["back"]), op="back"))
            finally:
                self.nesting -= 1

    def change(self, changed, refs):
        """Applies what a call changed in its arguments."""
        for i, form in changed:
            if type(i) is not int or not 0 <= i < len(refs):
                raise Violation("an unknown argument")
            old, new = refs[i], self.decoder(refs)(form)
            if type(new) is not type(old) or new is old:
                if new is old:
                    continue
                raise Violation("an argument of another type")
            if isinstance(old, (list, bytearray)):
                old[:] = new
            elif isinstance(old, (dict, set)):
                old.clear()
                old.update(new)
            else:
                old.clear()
                old.extend(new)

    # The tests' own objects, used by the program.

    def lend(self, back):
        """Lets the program use an object that the tests gave it."""
        if type(back) is not list or len(back) != 5:
            raise Violation("a call back")
        kind, i, name, args, kwargs = back
        if type(i) is not int or not 0 <= i < len(self.lent) or type(name) is not str or type(kwargs) is not dict:
            raise Violation("a call back")
        target = self.lent[i]
        dec = self.decoder(())
        args, kwargs = [dec(a) for a in args], {str(k): dec(v) for k, v in kwargs.items()}
        try:
            if kind == "call" and callable(target) and not isinstance(target, type):
                v = target(*args, **kwargs)
            elif not lendable(type(target)) and not (kind == "special" and name in ("__iter__", "__next__") and steps(target)):
                raise Violation("a call back")
            elif kind == "get" and not name.startswith("_"):
                v = getattr(target, name)
            elif kind == "set" and not name.startswith("_"):
                v = setattr(target, name, args[0])
            elif kind == "special" and name in OPERATORS:
                v = getattr(type(target), name)(target, *args)
            else:
                raise Violation("a call back")
        except (Gone, Violation, Unsendable):
            raise
        except Exception as e:
            if id(e) in self.failed and self.dead is None:
                self.dead = "an assertion failed in a call back: %s" % e
            return {"x": self.raise_there(e)}
        try:
            return {"v": self.encoder()(v)}
        except (Unencodable, Unsendable) as e:
            Unsendable.open -= isinstance(e, Unsendable)
            return {"x": self.raise_there(TypeError("the test's value cannot be sent: %s" % e))}

    def raise_there(self, e):
        """Describes an exception of the tests' own function for the program."""
        enc, args = self.encoder(), []
        for a in e.args:
            try:
                args.append(enc(a))
            except (Unencodable, Unsendable):
                args.append(str(a)[:1000])
        out = {"q": type(e).__name__, "a": args, "number": self.lent_number(e)}
        if type(e).__name__ not in ERRORS:
            out["class"] = self.exception_class(type(e))
        return out

    def lent_number(self, v):
        i = self.lent_ids.get(id(v))
        if i is None:
            i = self.lent_ids[id(v)] = len(self.lent)
            self.lent.append(v)
        return i

    def exception_class(self, c):
        base = next(b.__name__ for b in c.__mro__ if b.__module__ == "builtins")
        return [self.lent_number(c), c.__name__, [base]]

    # Values from the program.

    def decoder(self, refs):
        return Decoder({
            "h": lambda s, form, d: self.thing(form),
            "bound": lambda s, form, d: ("bound", form),
            "g": lambda s, form, d: self.pure(form),
            "mod": lambda s, form, d: self.module(form),
            "back": lambda s, form, d: self.own(form),
            "xv": lambda s, form, d: self.exception(form),
            "opaque": lambda s, form, d: Opaque(form),
        }, refs)

    def own(self, form):
        if type(form) is not int or not 0 <= form < len(self.lent):
            raise Violation("an unknown object")
        return self.lent[form]

    def thing(self, form):
        """Makes the stand-in for an object of the program."""
        i, kind = form[0], form[1]
        if type(i) is not int:
            raise Violation("a handle")
        found = self.objects.get(i)
        if found is not None:
            # What the program hands out is a result: it may no longer judge.
            if isinstance(type(found), RemoteClass):
                object.__getattribute__(found, "_state").own = False
            return found
        if kind == "m":
            found = self.modules.get(i)
            if found is None:
                found = Opaque("module")
        elif kind == "c":
            found = self.class_of(i)
        elif kind == "f":
            found = RemoteFunction(self, i, str(form[2])[:100])
        elif kind == "a":
            return awaitable(self, i)
        elif kind == "o":
            if type(form[2]) is not int:
                raise Violation("a handle")
            c = self.class_of(form[2])
            if not isinstance(c, RemoteClass):
                found = Opaque(str(getattr(c, "__name__", "?")))
            else:
                found = object.__new__(c)
                object.__setattr__(found, "_state", State(self, i))
        else:
            raise Violation("a handle")
        self.objects[i] = found
        return found

    def class_of(self, i):
        found = self.classes.get(i)
        if found is None:
            name, bases, special, error, named = self.ask("describe", h=i)
            if type(name) is not str or type(special) is not list:
                raise Violation("a class")
            if error is True:
                found = self.error_class(name[:100], bases)
            else:
                parents = [self.class_of(b) for k, b in bases if k == 1 and type(b) is int and b < 1 << 40]
                parents = [p for p in parents if isinstance(p, RemoteClass)] or [Remote]
                found = make_class(self, i, name[:100], parents, [n for n in special if type(n) is str and n in OPERATORS])
            self.classes[i] = found
        return found

    def error_class(self, name, bases):
        parents = []
        for kind, b in bases:
            c = ERRORS.get(b) if kind == 0 and type(b) is str else self.class_of(b) if type(b) is int else None
            if isinstance(c, type) and issubclass(c, BaseException):
                parents.append(c)
        try:
            return type(name, tuple(parents) or (Exception,), {"__module__": "solution", "__str__": error_text})
        except TypeError:
            return type(name, (Exception,), {"__module__": "solution", "__str__": error_text})

    def pure(self, form):
        module, name = form
        if type(module) is not str or type(name) is not str or module not in PURE or "__" in name or \
                name.split(".")[0] in NOT_PURE:
            return Opaque("%s.%s" % (module, name))
        o = importlib.import_module(module)
        for part in name.split("."):
            o = getattr(o, part)
        if not isinstance(o, (type,) + CALLABLE):
            raise Violation("a reference")
        return o

    def module(self, name):
        if type(name) is str and name in PURE and name != "builtins":
            return importlib.import_module(name)
        return Opaque("module")

    def exception(self, x):
        if "back" in x:
            e = self.own(x["back"])
            if not isinstance(e, BaseException):
                raise Violation("an exception")
            return e
        module, name, at = x["m"], x["q"], x.get("at")
        dec = self.decoder(())
        if type(x["a"]) is not list:
            raise Violation("an exception")
        args = [dec(a) for a in x["a"][:20]]
        text = dec(x.get("text"))
        if type(x.get("c")) is int:
            c = self.class_of(x["c"])
            if not (isinstance(c, type) and issubclass(c, BaseException)):
                c = RemoteError
        elif module == "builtins" and name in ERRORS:
            c = ERRORS[name]
        elif (module, name) in STANDARD_ERRORS:
            c = getattr(importlib.import_module(module), name)
        else:
            c = next((ERRORS[n] for n in x["mro"] if type(n) is str and n in ERRORS), RemoteError)
        try:
            e = c(*args)
        except Exception:
            try:
                e = c.__new__(c, *args)
            except Exception:
                e = RemoteError(text)
        for k, v in [(k, dec(v)) for k, v in x.get("d", [])[:20]]:
            if type(k) is str and not k.startswith("_"):
                try:
                    setattr(e, k, v)
                except Exception:
                    pass
        if type(text) is str and e.__class__.__module__ == "solution":
            e._text = text
        where = None
        if type(at) is list and len(at) == 2 and type(at[0]) is str and type(at[1]) is int:
            where = "%s, line %d" % (at[0][:200], at[1])
        self.raised[id(e)] = (e, where)
        return e

    # Values to the program.

    def encoder(self):
        return Encoder(self.special)

    def special(self, v):
        t = type(v)
        if isinstance(t, RemoteClass):
            return {"h": object.__getattribute__(v, "_state").handle}
        if t is RemoteFunction or t is BoundMethod:
            return {"h": v._send()}
        if isinstance(v, RemoteClass):
            return {"h": v._handle}
        if t is Opaque:
            self.die("the program gave %r, and the tests pass it on" % v)
        if isinstance(v, type) and issubclass(v, BaseException) and v.__module__ == "solution":
            for i, c in self.classes.items():
                if c is v:
                    return {"h": i}
        if isinstance(v, types.ModuleType):
            return {"mod": v.__name__} if v.__name__.split(".")[0] in sys.stdlib_module_names else None
        found = standard_name(v)
        if found is not None:
            return {"g": found}
        if isinstance(v, BaseException):
            return {"xv": self.raise_there(v)}
        if isinstance(v, type):
            if issubclass(v, BaseException):
                return {"test": ["x"] + self.exception_class(v)}
            raise Unsendable("a class of the tests, %s" % v.__name__)
        if isinstance(v, (int, float, str, bytes, tuple, list, dict, set, frozenset)):
            return None
        if steps(v):
            return {"test": ["o", self.lent_number(v), t.__name__, ["__iter__", "__next__"]]}
        if lendable(t):
            names = [n for n in OPERATORS if getattr(t, n, None) not in (None, getattr(object, n, None))]
            return {"test": ["o", self.lent_number(v), t.__name__, names]}
        if callable(v):
            return {"test": ["f", self.lent_number(v), getattr(v, "__name__", "function"), []]}
        raise Unsendable("a value of type %s.%s" % (t.__module__, t.__qualname__))

    def call(self, op, handle, args, kwargs, name="", sure=False):
        """Calls something of the program. Where the tests did not name it but
        the program gave it to them, what cannot be sent is the program's
        fault: it must not bring about a fallback."""
        enc = self.encoder()
        try:
            args = [enc(a) for a in args]
            kwargs = {k: enc(v) for k, v in kwargs.items()}
        except (Unencodable, Unsendable) as e:
            if sure:
                raise (e if isinstance(e, Unsendable) else Unsendable(str(e))) from None
            Unsendable.open -= isinstance(e, Unsendable)
            raise TypeError("a result of the program is given what cannot cross to its box: %s" % e) from None
        fields = {"h": handle, "a": args, "k": kwargs}
        if name:
            fields["name"] = name
        return self.ask(op, enc.table, **fields)

    def set(self, owner, handle, name, v):
        try:
            form = self.encoder()(v)
        except (Unencodable, Unsendable) as e:
            if self.sure(owner):
                raise (e if isinstance(e, Unsendable) else Unsendable(str(e))) from None
            Unsendable.open -= isinstance(e, Unsendable)
            raise TypeError("a result of the program is given what cannot cross to its box: %s" % e) from None
        self.ask("set", h=handle, name=name, v=form)

    def sure(self, owner):
        """Tells whether the tests themselves named or made an object."""
        if isinstance(owner, (RemoteClass, RemoteFunction)):
            return owner._handle in self.by_name
        return isinstance(owner, RemoteModule) or is_own(owner)

    def attribute(self, owner, handle, name):
        if name.startswith("__") and name not in READABLE:
            raise AttributeError(name)
        v = self.ask("attr", h=handle, name=name)
        if type(v) is tuple and len(v) == 2 and v[0] == "bound":
            return BoundMethod(self, owner, handle, name)
        return v


def lendable(t):
    """Tells whether a type is the tests' own."""
    return t.__module__ in TEST_MODULES


def steps(v):
    """Tells whether a value of the tests is an iterator of the language."""
    return type(v).__module__ in ("builtins", "itertools") and hasattr(type(v), "__next__")


CALLABLE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
TEST_MODULES = set()


def standard_name(v):
    """Names a function or class of the standard library, or returns None."""
    if not isinstance(v, CALLABLE + (type, types.MethodDescriptorType)) or isinstance(v, types.MethodType):
        return None
    owner = v.__objclass__ if isinstance(v, types.MethodDescriptorType) else v
    module, name = owner.__module__, v.__qualname__
    if not isinstance(module, str) or module.split(".")[0] not in sys.stdlib_module_names or module in TEST_MODULES:
        return None
    try:
        o = importlib.import_module(module)
        for part in name.split("."):
            o = getattr(o, part)
    except (ImportError, AttributeError):
        return None
    return [module, name] if o is v else None


def error_text(e):
    return getattr(e, "_text", None) or ", ".join(map(str, e.args))


class State:
    """What the harness knows of an object of the program."""

    __slots__ = ("link", "handle", "own", "steps")

    def __init__(self, link, handle):
        self.link, self.handle, self.own, self.steps = link, handle, False, 0


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
        link.doing = " during %s(%s)" % (self.__name__, exam.clip(", ".join(exam.bounded_repr(a, 60) for a in args), 200))
        return link.call("call", self._handle, args, kwargs, sure=link.sure(self))

    def _send(self):
        return self._handle

    def __getattr__(self, name):
        return self._link.attribute(self, self._handle, name)

    def __setattr__(self, name, value):
        self._link.set(self, self._handle, name, value)

    def __repr__(self):
        return "<function %s of the program>" % self.__name__


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
        if self._name in JUDGING_METHODS and not is_own(self._owner) and isinstance(self._owner, Remote):
            raise TypeError("%s of a result that is not a plain value" % self._name)
        self._link.doing = " during %s(%s)" % (self._name, exam.clip(", ".join(exam.bounded_repr(a, 60) for a in args), 200))
        return self._link.call("method", self._handle, args, kwargs, self._name, self._link.sure(self._owner))

    def _send(self):
        raise Unsendable("a method of the program's object")


def is_own(v):
    return isinstance(type(v), RemoteClass) and object.__getattribute__(v, "_state").own


class RemoteClass(type):
    """A class of the program."""

    def __new__(kind, name, bases, space):
        raise Unsendable("a subclass of the program's class")

    def __call__(cls, *args, **kwargs):
        link = cls._link
        link.doing = " during %s(…)" % cls.__name__
        v = link.call("call", cls._handle, args, kwargs, sure=link.sure(cls))
        # Only what the tests spell as a class makes objects that may judge.
        if isinstance(type(v), RemoteClass) and cls.__name__.lstrip("_")[:1].isupper() and cls._called in link.spelled:
            object.__getattribute__(v, "_state").own = True
        return v

    def __getattr__(cls, name):
        if name in ("_called", "_link", "_handle"):
            raise AttributeError(name)
        return cls._link.attribute(cls, cls._handle, name)

    def __setattr__(cls, name, value):
        cls._link.set(cls, cls._handle, name, value)

    def __iter__(cls):
        return cls._link.call("method", cls._handle, (), {}, "__iter__")

    def __getitem__(cls, key):
        return cls._link.call("method", cls._handle, (key,), {}, "__getitem__")

    # What an enumeration has. Without these a class is never empty.

    def __bool__(cls):
        return True

    def __len__(cls):
        return cls._special("__len__")

    def __reversed__(cls):
        return cls._special("__reversed__")

    # What is in a class is what it gives when it is iterated: it is no judge.

    def _special(cls, name):
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
        state.link.set(self, state.handle, name, value)

    def __delattr__(self, name):
        state = object.__getattribute__(self, "_state")
        state.link.ask("delete", h=state.handle, name=name)

    def __copy__(self, deep=False):
        state = object.__getattribute__(self, "_state")
        v = state.link.ask("copy", h=state.handle, deep=deep)
        if isinstance(type(v), RemoteClass):
            object.__getattribute__(v, "_state").own = state.own
        return v

    def __deepcopy__(self, memo):
        return self.__copy__(True)

    def __reduce_ex__(self, protocol):
        raise Unsendable("a pickled object of the program")

    def __eq__(self, other):
        return judge(self, other, "__eq__")

    def __ne__(self, other):
        return not self == other

    __hash__ = object.__hash__

    def __repr__(self):
        return "<%s object of the program>" % type(self).__name__


def make_class(link, handle, name, parents, special):
    space = {"__slots__": (), "_link": link, "_handle": handle, "__module__": "solution", "_called": name}
    for n in special:
        space[n] = operator(n)
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    if "__ne__" in space:
        del space["__ne__"]
    try:
        return type.__new__(RemoteClass, name, tuple(parents), space)
    except TypeError:
        return type.__new__(RemoteClass, name, (Remote,), space)


def operator(name):
    if name in JUDGING:
        return lambda self, other: judge(self, other, name)
    if name in COMPUTING:
        return lambda self, *args: compute(self, args, name)
    if name == "__next__":
        return step
    if name in ("__exit__", "__aexit__"):
        return lambda self, kind, value, tb: leave(self, name, value)

    def method(self, *args):
        state = object.__getattribute__(self, "_state")
        own = state.own
        v = state.link.call("method", state.handle, args, {}, name, own)
        if v is self and name in ("__enter__", "__iter__"):
            state.own = own
        return v
    method.__name__ = name
    return method


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
        return bool(v) if free else False

    async def wait():
        return bool(await v) and free
    return wait()


def judge(self, other, name):
    """A comparison. The program's class decides it only where the tests made
    the object, or between two objects of the program; else the plain value
    that the object is a kind of decides it, here."""
    if self is other and name == "__eq__":
        return True
    state = object.__getattribute__(self, "_state")
    defined = any(name in vars(c) for c in type(self).__mro__ if isinstance(c, RemoteClass))
    both = isinstance(type(other), RemoteClass)
    if defined and (state.own or both and name != "__contains__"):
        try:
            return state.link.call("method", state.handle, (other,), {}, name, True)
        except Unsendable:
            Unsendable.open -= 1
            return NotImplemented
    if both:
        return NotImplemented
    try:
        plain = state.link.ask("plain", h=state.handle)
    except Gone:
        raise
    except BaseException:
        plain = self
    if isinstance(type(plain), RemoteClass) or type(plain) is Opaque:
        if name == "__contains__":
            return any(x is other or x == other for x in self)
        return NotImplemented
    if name == "__contains__":
        return other in plain
    return getattr(type(plain), name)(plain, other)


def compute(self, args, name):
    """An operator. With a plain operand it may give an object, or a plain
    result where the tests made the object."""
    state = object.__getattribute__(self, "_state")
    own = state.own or any(map(is_own, args))
    v = state.link.call("method", state.handle, args, {}, name)
    if isinstance(type(v), RemoteClass):
        object.__getattribute__(v, "_state").own = own
        return v
    if v is NotImplemented or own or any(isinstance(type(a), RemoteClass) for a in args):
        return v
    raise TypeError("%s of a result that is not a plain value" % name)


def awaitable(link, handle):
    async def wait():
        return link.ask("wait", h=handle)
    return wait()


class RemoteModule(types.ModuleType):
    """A module of the program."""

    def __getattr__(self, name):
        d = object.__getattribute__(self, "__dict__")
        if name == "__all__":
            return d["_world"].star(d["_names"])
        if name.startswith("__") and name not in READABLE:
            raise AttributeError(name)
        world = d["_world"]
        if name in d["_submodules"]:
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
            d["_world"].link.set(self, d["_handle"], name, value)


class World:
    """How the tests reach the program: by imports, and by its bare names."""

    def __init__(self, link, main_file, modules, readings):
        self.link, self.main_file, self.modules = link, main_file, modules
        link.spelled = {n for r in readings for n in r.identifiers}
        self.readings = readings
        self.main = None
        self.broken = False

    # For exam.Runner.

    @property
    def dead(self):
        return self.link.dead

    @property
    def uses(self):
        return self.link.number

    def names(self, reading):
        """The bare names that a test file takes from the main module."""
        wanted = sorted(n for n in reading.free if n not in ("__file__", "__name__"))
        if not wanted or not self.main_file:
            return {}
        return {n: self.value(n, form) for n, form in self.forms(self.main_module(), wanted)}

    def entry(self, name):
        """The entry point: a name, or an expression such as Solution().add."""
        if not self.main_file:
            raise LookupError("the program has no main file to find %s in" % name)
        code = compile(name, "<entry>", "eval")
        names = {n: self.value(n, form) for n, form in self.forms(self.main_module(), list(code.co_names))}
        return eval(code, names)

    def foreign(self, e):
        return id(e) in self.link.raised

    def failed(self, e, reading):
        """Ends the exam by a fallback where the tests alone are the reason."""
        if isinstance(e, Unsendable):
            Unsendable.open -= 1
            line = exam.Runner.where(e, reading)
            if not self.link.answered or self.certain(e, reading):
                raise exam.Fallback(str(e))
            self.link.dead = self.link.dead or "line %d of the tests passes on %s, which cannot cross to the program's box" % (line, e)

    def unparsed(self, e):
        """Where a file of the program does not parse that the tests import.
        With a main file all are parsed before."""
        if not self.main_file and id(e) in self.link.raised and isinstance(e, SyntaxError):
            return worker_syntax(e)
        return None

    @staticmethod
    def certain(e, reading):
        tb, path, found = e.__traceback__, os.path.join(exam.WORKSPACE, reading.path), False
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == path:
                found = True
                if not reading.certain(tb.tb_lineno):
                    return False
            tb = tb.tb_next
        return found

    def describe(self, e):
        found = self.link.raised.get(id(e))
        if isinstance(e, Gone):
            return str(e)
        text = "%s: %s" % (type(e).__name__, e) if str(e) else type(e).__name__
        return "%s (%s)" % (text, found[1]) if found and found[1] else text

    @staticmethod
    def plain(v, other):
        """Every value here is what it seems to be."""
        return v

    # Modules.

    def main_module(self):
        if self.main is None:
            self.main = self.module("", "solution")
        return self.main

    def module(self, remote_name, name):
        self.link.doing = " while it was loaded"
        reply = self.link.exchange("import", (), {"name": remote_name})
        handle, names = reply.get("v"), reply.get("names")
        if type(handle) is not dict or type(names) is not list or type(handle.get("h")) is not list or type(handle["h"][0]) is not int:
            self.link.die("the program's process broke the protocol: a module")
        m = self.link.modules.get(handle["h"][0])
        if m is None:
            m = RemoteModule(name)
            m.__dict__.update(_world=self, _handle=handle["h"][0], _names=[n for n in names if type(n) is str],
                              _submodules={k[len(name) + 1:]: k for k in self.modules if k.startswith(name + ".") and "." not in k[len(name) + 1:]})
            self.link.modules[handle["h"][0]] = m
        return m

    def star(self, names):
        """What `import *` brings: names that the tests use and do not bind."""
        free = set().union(*(r.free for r in self.readings))
        return [n for n in dict.fromkeys(names) if n in free and not n.startswith("_")]

    def forms(self, module, names):
        handle = module.__dict__["_handle"]
        reply = self.link.exchange("names", (), {"h": handle, "names": names})
        found = reply.get("v")
        if type(found) is not list or not all(type(p) is list and len(p) == 2 and p[0] in names for p in found):
            self.link.die("the program's process broke the protocol: names")
        return [(n, form) for n, form in found]

    def named(self, handle, name):
        return self.value(name, self.link.exchange("attr", (), {"h": handle, "name": name}).get("v"))

    def value(self, name, form):
        """Decodes what the program has under a name that the tests spell. A
        standard module comes only under its own name."""
        if type(form) is dict and list(form) == ["mod"]:
            real = ALIASES.get(name, name)
            if form["mod"] == real and real.split(".")[0] in sys.stdlib_module_names | {"numpy", "pandas"}:
                return importlib.import_module(real)
        if type(form) is dict and list(form) == ["bound"]:
            self.link.die("the program's process broke the protocol: a name")
        v = self.link.guard(lambda: self.link.decoder(())(form))
        if isinstance(v, (RemoteClass, RemoteFunction)):
            self.link.by_name.add(v._handle)
        return v

    # The last finder: what the harness has itself is never the program's.

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=any(m.startswith(name + ".") for m in self.modules))

    def create_module(self, spec):
        return self.main_module() if self.modules[spec.name] == "" else self.module(self.modules[spec.name], spec.name)

    def exec_module(self, module):
        pass


def read_tests(config, modules, report):
    """Reads the test files. The tests' own mistakes end the exam."""
    files = [p for p in config["tests"] if p.endswith(".py")]
    # A conftest.py comes before what is below it.
    files.sort(key=lambda p: (os.path.basename(p) != "conftest.py", p.count("/") if os.path.basename(p) == "conftest.py" else 0))
    roots = layout.roots(config["files"])
    root = {p: max((r for r in roots if p.startswith(r)), key=len) for p in files}
    names = {layout.dotted(p[len(root[p]):]) for p in files} | {layout.dotted(os.path.basename(p)) for p in files}
    readings = []
    for path in files:
        with open(os.path.join(exam.WORKSPACE, path), "rb") as f:
            source = f.read()
        try:
            readings.append(exam.Reading(path, source, modules, root[path], names))
            compile(source, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError) as e:
            report.event(type="broken", reason="the tests do not parse: %s: %s, line %s" % (path, e, getattr(e, "lineno", "?")))
            sys.exit(0)
    return readings


def packages(files):
    """The program's packages."""
    return {layout.dotted(f[len(r):]) for r in layout.roots(files) for f in files if f.startswith(r) and f.endswith("/__init__.py")}


def worker_syntax(e):
    """A SyntaxError of a file in the workspace, as an event tells it."""
    name = e.filename if type(e.filename) is str else ""
    if not name.startswith(exam.WORKSPACE + "/"):
        return None
    return syntax({"file": name[len(exam.WORKSPACE) + 1:], "line": e.lineno, "column": e.offset, "message": e.msg}, "")


def main():
    config = exam.told()
    report = exam.Report()
    modules = layout.foreign_modules(config["main"], config["files"])
    readings = read_tests(config, modules, report)
    if any(not p.endswith(".py") for p in config["tests"]):
        report.event(type="fallback", reason="the tests share files with the program")
        return
    for r in readings:
        hook = r.own & PYTEST_HOOKS
        if hook:
            report.event(type="broken", reason="the tests do not run without pytest itself: %s defines %s" % (r.path, min(hook)))
            return
    for r in readings:
        why = r.sharing(modules)
        if why:
            report.event(type="fallback", reason="the tests use %s: the program must share their process" % why)
            return
    TEST_MODULES.update(["__main__"], (r.name for r in readings))
    link = Link()
    world = World(link, config["main"], modules, readings)
    try:
        reply = link.exchange("open", (), {"main": config["main"], "files": config["files"], "capture": any(r.captures for r in readings)})
        if "syntax" in reply:
            report.event(type="syntax", syntax=syntax(reply["syntax"], config["main"]))
            return
    except BaseException as e:
        report.event(type="broken", reason=str(e))
        report.case("start", "error", str(e))
        report.done()
        return
    report.event(type="checked")
    sys.meta_path.append(world)
    if any("pytest" in r.standard_roots for r in readings) or any(r.tests for r in readings):
        from _glovebox import pytester
        sys.modules["pytest"] = pytester.module()
    runner = exam.Runner(report, world, config["entry"])
    link.answered, link.failed = False, runner.details
    try:
        runner.run(readings, packages(config["files"]))
    except exam.Fallback as e:
        report.event(type="fallback", reason="the tests pass on %s" % e)
        return
    except exam.Unparsed as e:
        report.event(type="syntax", syntax=e.syntax)
        return
    if Unsendable.open > 0 and not link.dead:
        link.dead = "the tests pass on a value that cannot cross to the program's box, and hide it"
    if link.dead:
        report.event(type="broken", reason=link.dead)
        if not report.failed:
            report.case("end", "error", link.dead)
    elif not link.modules:
        report.case("end", "failed", "the tests never used the program" + report.hint)
    sys.stdout.flush()
    report.done()


def syntax(s, main):
    """Takes a syntax error as the program's side tells it."""
    number = lambda v: v if type(v) is int and 0 <= v < 1 << 31 else 0
    text = lambda v, d: exam.clip(v, 500) if type(v) is str else d
    s = s if type(s) is dict else {}
    return {"file": text(s.get("file"), main), "line": number(s.get("line")), "column": number(s.get("column")),
            "message": text(s.get("message"), "invalid syntax")}

