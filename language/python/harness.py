"""The harness's side of an exam: runs the tests; the program is in another box.

What the tests see of the program are stand-ins that send calls over the link.
A verdict rests on what this process did and counted itself. Nothing that comes
over the link is believed: it is decoded to exact plain values, and the first
breach of the protocol ends the exam for good.
"""
import _thread
import builtins
import importlib
import os
import sys
import types
from _collections import OrderedDict, defaultdict, deque
from _frozen_importlib import ModuleSpec

from _glovebox import exam, flow, layout, needs, trees as ast
from _glovebox.exam import TEST_MODULES, Gone, Refused
from _glovebox.remote import (GUARDED, READABLE, NOTHING, Bound, BoundMethod, Opaque, RemoteClass, Remote, RemoteFunction, RemoteModule, State,
                              awaitable, is_made, made, make_class, member, own_member, same, stand_in, state_of)
from _glovebox.wire import (NOT_PURE, OPERATORS, PURE, Decoder, Encoder, Unencodable, Violation, read_frame, write_frame)

LINK_IN, LINK_OUT = 3, 4
MAX_NESTING = 50

# What would end a loop of the tests, and what may raise it there.
SIGNALS = (StopIteration, StopAsyncIteration, GeneratorExit)
STEPS = frozenset(("__next__", "__anext__", "send", "throw", "asend", "athrow"))
# Classes of the language that a name of the program's never stands for: they
# would catch what the tests themselves raise.
UNTRUSTED = frozenset(("AssertionError", "Exception", "BaseException", "SystemExit", "KeyboardInterrupt", "StopIteration", "StopAsyncIteration",
                       "GeneratorExit"))
ERRORS = {n: v for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)}
STANDARD_ERRORS = frozenset((
    ("decimal", "InvalidOperation"), ("decimal", "DivisionByZero"), ("json.decoder", "JSONDecodeError"), ("re", "error"),
    ("struct", "error"), ("binascii", "Error"), ("asyncio.exceptions", "TimeoutError"),
    ("queue", "Empty"), ("queue", "Full"), ("dataclasses", "FrozenInstanceError"), ("configparser", "NoSectionError"),
    ("zoneinfo._common", "ZoneInfoNotFoundError"), ("csv", "Error"), ("_csv", "Error"), ("statistics", "StatisticsError"),
    ("threading", "BrokenBarrierError"), ("concurrent.futures._base", "TimeoutError"), ("string", "TemplateError")))



class Given:
    """The arguments of a call as its result has them."""

    def __init__(self, link, refs):
        self.link, self.refs, self.copies = link, refs, {}

    def __len__(self):
        return len(self.refs)

    def __getitem__(self, i):
        if i not in self.copies:
            self.copies[i] = self.link.copy(self.refs[i])
        return self.copies[i]


INFINITY = float("inf")


def undefined(x):
    return type(x) not in ARRAYS and bool(x != x)


def endless(x):
    return type(x) not in ARRAYS and bool(x == INFINITY or x == -INFINITY)


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
        self.judged = False  # the program judged something since this was last said
        self.refused = None  # why the case that runs can no longer pass
        self.raised = {}  # id: (exception of the program, its place)
        self.hidden = {}  # id: (an argument, what it was, what it is for the program)
        self.aliases = {}  # id: (a result, what it was, the argument that it is, what that was)
        self.twins, self.kept = {}, 256  # id of an argument: the results that are it
        # What the program set of the tests' own: (id, name): (an object, what its
        # attribute was, what it is).
        self.altered = {}
        self.swapped = False  # something was given as it was
        self.with_objects = False  # the tests' text uses objects of the program's classes
        self.pairs = False  # two results may be compared by the program: see World.pair

    # Asking.

    def die(self, why):
        if self.dead is None:
            self.dead = why
        raise Gone(self.dead)

    def refuse(self, why):
        """Fails the case that runs, whatever the tests do with the exception."""
        self.refused = self.refused or why
        raise Refused(why)

    def ask(self, op, refs=(), **fields):
        """Sends a request and returns the decoded value of its reply."""
        reply = self.exchange(op, refs, fields)
        return self.guard(lambda: self.decoder(Given(self, refs))(reply["v"]))

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
            except (Gone, Refused):
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
            if isinstance(e, SIGNALS) and not (op == "method" and fields.get("name") in STEPS or op == "wait"):
                e = self.signal(e)
            raise e
        if "opaque" in reply:
            reply["v"] = {"opaque": str(reply["opaque"])[:200]}
        return reply

    def signal(self, e):
        """What would end a loop of the tests is an error of the program."""
        found = RuntimeError("the program raised %s" % type(e).__name__)
        self.raised[id(found)] = (found, self.raised.get(id(e), (e, None))[1])
        return found

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
        """Keeps what a call changed in its arguments. The tests see it where their
        text asserts on an argument, or calls for the change alone."""
        for i, form in changed:
            if type(i) is not int or not 0 <= i < len(refs):
                raise Violation("an unknown argument")
            old, new = refs[i], self.decoder(refs)(form)
            if new is old:
                continue
            if type(new) is not type(old):
                raise Violation("an argument of another type")
            if not alike(self.live(old), new):
                self.hidden[id(old)] = old, copied(old), new
        if len(self.hidden) + len(self.aliases) > self.kept:
            self.forget()

    def forget(self):
        """Lets go of arguments and of what came back of them that only we have."""
        for v in [v for v, *_ in self.aliases.values() if sys.getrefcount(v) < 4]:
            self.twins[id(self.aliases.pop(id(v))[2])].remove(v)
        for k in [k for k, v in self.twins.items() if not v]:
            del self.twins[k]
        for k in [k for k, v in self.hidden.items() if k not in self.twins and sys.getrefcount(v[0]) < 3]:
            del self.hidden[k]
        self.kept = 2 * (len(self.hidden) + len(self.aliases)) + 256

    def live(self, v):
        """What a container of the tests is for the program."""
        kept = self.hidden.get(id(v))
        if kept is None or kept[0] is not v:
            return v
        if alike(v, kept[1]):
            return kept[2]
        del self.hidden[id(v)]  # the tests changed it since
        return v

    def commit(self, before):
        """Shows the tests what the calls of a statement changed."""
        for k in [k for k, v in self.hidden.items() if before.get(k) is not v[2]]:
            old = self.hidden[k][0]
            new = self.live(old)
            self.hidden.pop(k, None)
            if new is old:
                continue
            assign(old, new)
            for twin in self.twins.get(k, ()):
                _, was, of, _ = self.aliases[id(twin)]
                if of is old and alike(twin, was):
                    assign(twin, copied(old))
                    self.aliases[id(twin)] = twin, copied(old), old, copied(old)

    def copy(self, v):
        """What a result is that is, or holds, an argument: a copy of its own."""
        made = {}
        new = copied(self.now(v), made)
        if container(type(new)):
            made[id(v)] = new
        for old in self.within(v):
            twin = made.get(id(old), made.get(id(self.live(old))))
            if twin is not None and id(twin) not in self.aliases:
                self.aliases[id(twin)] = twin, copied(twin), old, copied(old)
                self.twins.setdefault(id(old), []).append(twin)
        return new

    def within(self, v, seen=None):
        """A container and those in it."""
        seen = {} if seen is None else seen
        if container(type(v)) and id(v) not in seen:
            seen[id(v)] = v
            for x in () if type(v) in ARRAYS else list(v.values() if isinstance(v, dict) else v):
                self.within(x, seen)
        return list(seen.values())

    def root(self, v):
        """The argument that a result is, or the value itself."""
        found = self.aliases.get(id(v))
        return self.root(found[2]) if found is not None and found[0] is v else v

    def seen(self, v):
        """A result in an assertion: one that is an argument, which the tests changed
        since, tells nothing."""
        for x in self.within(v) if self.aliases else ():
            found = self.aliases.get(id(x))
            if found is not None and found[0] is x and not alike(found[2], found[3]) and not alike(x, found[2]):
                self.refuse("the program gave back an argument of the tests, which they changed since: %s" % exam.bounded_repr(found[2], 200))
        return v

    def now(self, v, seen=None):
        """Gives a value of the tests with what calls of the program changed in it."""
        if not (self.hidden or self.aliases) or not container(type(v)):
            return v
        if seen is None:
            seen = {}
            self.seen(v)
        if id(v) in seen:
            return seen[id(v)]
        seen[id(v)] = v  # in a cycle
        new = self.live(v)
        for twin in self.twins.get(id(v), ()):
            _, was, of, _ = self.aliases[id(twin)]
            changed = self.now(twin, seen)
            if of is v and not alike(changed, was):
                new = changed
        if type(new) not in ARRAYS:
            parts = list(new.values() if isinstance(new, dict) else new)
            there = [self.now(x, seen) for x in parts]
            if any(a is not b for a, b in zip(parts, there)):
                if isinstance(new, dict):
                    new = new.copy()
                    new.update(zip(list(new), there))
                else:
                    new = type(new)(there)
        seen[id(v)] = new
        return new

    def of(self, owner, name):
        """Gives an attribute as it was before calls of the program set it, unless
        the tests themselves set it since."""
        v = getattr(owner, name)
        kept = self.altered.get((id(owner), name))
        if kept is None or kept[2] is not v:
            return v
        self.swapped = True
        return kept[1]

    def agreed(self, v, live):
        """Gives what the tests make of what an argument was, where it is the same
        of what it is."""
        if self.swapped or self.hidden or self.aliases:
            self.swapped = False
            if not alike(v, live()):
                self.refuse("the program changed an argument that the tests compute the expected value from: before it is %s" % exam.bounded_repr(v, 200))
        return v

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
                kept = self.altered.get((id(target), name))
                before = kept[1] if kept is not None and getattr(target, name, None) is kept[2] else getattr(target, name, args[0])
                v = setattr(target, name, args[0])
                self.altered[id(target), name] = target, before, args[0]
            elif kind == "special" and name in OPERATORS:
                v = getattr(type(target), name)(target, *args)
            else:
                raise Violation("a call back")
        except (Gone, Violation, Refused):
            raise
        except Exception as e:
            if self.refused is None and (id(e) in self.failed or isinstance(e, (AssertionError, exam.Skip))):
                self.refused = "an assertion failed in a call back: %s" % e
            return {"x": self.raise_there(e)}
        return {"v": self.send(self.encoder(), v)}

    def raise_there(self, e):
        """Describes an exception of the tests' own function for the program."""
        enc, args = self.encoder(), []
        for a in e.args:
            try:
                args.append(enc(a))
            except Unencodable:
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

    def decoder(self, refs, named=False):
        """Decodes values. A module comes only where the tests spell a name."""
        return Decoder({
            "h": lambda s, form, d: self.thing(s, form, d) if named or form[1] != "m" else Opaque("module"),
            "callable": Opaque,
            "bound": lambda s, form, d: Bound,
            "g": lambda s, form, d: self.pure(form),
            "mod": lambda s, form, d: self.module(form) if named else Opaque("module"),
            "back": lambda s, form, d: self.own(form),
            "xv": lambda s, form, d: self.exception(form),
            "opaque": lambda s, form, d: Opaque(form),
        }, refs)

    def own(self, form):
        if type(form) is not int or not 0 <= form < len(self.lent):
            raise Violation("an unknown object")
        return self.lent[form]

    def thing(self, decoder, form, depth):
        """Makes the stand-in for an object of the program."""
        i, kind = form[0], form[1]
        if type(i) is not int:
            raise Violation("a handle")
        if kind == "o" and len(form) == 4:
            # With the plain value that it is a kind of, as it is now.
            return self.object(i, form[2], decoder.value(form[3], depth))
        found = self.objects.get(i)
        if found is not None:
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
            found = self.object(i, form[2])
        else:
            raise Violation("a handle")
        self.objects[i] = found
        return found

    def object(self, i, of, plain=NOTHING):
        if type(of) is not int:
            raise Violation("a handle")
        c = self.class_of(of)
        if not isinstance(c, RemoteClass):
            return Opaque(str(getattr(c, "__name__", "?")))
        return stand_in(c, State(self, i, False, plain))

    def class_of(self, i):
        found = self.classes.get(i)
        if found is None:
            name, bases, special, error, members = self.ask("describe", h=i)
            if type(name) is not str or type(special) is not list or type(members) is not list:
                raise Violation("a class")
            if error is True:
                found = self.error_class(name[:100], bases)
            else:
                parents = [self.class_of(b) for k, b in bases if k == 1 and type(b) is int and b < 1 << 40]
                parents = [p for p in parents if isinstance(p, RemoteClass)] or [Remote]
                found = make_class(self, i, name[:100], parents, [n for n in special if type(n) is str and n in OPERATORS],
                                   {m for m in members if type(m) is int and members.count(m) == 1} if len(members) < 1000 else set())
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
        """A function or a class of the language's own, by its name: never what a
        module happens to have under a name."""
        module, name = form
        if type(module) is not str or type(name) is not str or module not in PURE:
            return Opaque("%s.%s" % (module, name))
        parts = name.split(".")
        if any(p.startswith("_") for p in parts) or parts[0] in NOT_PURE or parts[0] in UNTRUSTED:
            return Opaque("%s.%s" % (module, name))
        o = importlib.import_module(module)
        for part in parts:
            if o is not sys.modules[module] and not isinstance(o, type):
                raise Violation("a reference")
            o = getattr(o, part)
        if not isinstance(o, (type, types.MethodDescriptorType) + CALLABLE) or standard_name(o) != [module, name]:
            raise Violation("a reference")
        return o

    def module(self, name):
        if type(name) is str and name in PURE and name != "builtins":
            return importlib.import_module(name)
        return Opaque("module")

    def exception(self, x, depth=0):
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
            c = library_error(module, name) or next((ERRORS[n] for n in x["mro"] if type(n) is str and n in ERRORS), RemoteError)
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
                    setattr(e, k, Opaque("function") if callable(v) else v)
                except Exception:
                    pass
        if type(text) is str and e.__class__.__module__ == "solution":
            e._text = text
        if type(x.get("cause")) is dict and depth < 5:
            e.__cause__ = self.exception(x["cause"], depth + 1)
        where = None
        if type(at) is list and len(at) == 2 and type(at[0]) is str and type(at[1]) is int:
            where = "%s, line %d" % (at[0][:200], at[1])
        self.raised[id(e)] = (e, where)
        return e

    # Values to the program.

    def encoder(self):
        return Encoder(self.special, None, self.live if self.hidden else None)

    def special(self, v):
        t = type(v)
        state = state_of(v)
        if state is not None:
            return {"h": state.handle}
        if t is RemoteFunction or isinstance(v, RemoteClass):
            return {"h": v._handle}
        if t is BoundMethod:
            return {"m": [v._handle, v._name]}
        if t is RemoteModule:
            return {"h": v.__dict__["_handle"]}
        if t is slice:
            return {"sl": [self.encoder()(x) for x in (v.start, v.stop, v.step)]}
        if t is Opaque:
            self.refuse("the program gave %r, and the tests pass it on" % v)
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
            raise Unencodable("a class of the tests, %s" % v.__name__)
        if isinstance(v, (int, float, str, bytes, tuple, list, dict, set, frozenset)):
            return None
        if steps(v):
            return {"test": ["o", self.lent_number(v), t.__name__, ["__iter__", "__next__"]]}
        if lendable(t):
            names = [n for n in OPERATORS if getattr(t, n, None) not in (None, getattr(object, n, None))]
            return {"test": ["o", self.lent_number(v), t.__name__, names]}
        if callable(v):
            return {"test": ["f", self.lent_number(v), getattr(v, "__name__", "function"), []]}
        raise Unencodable("a value of type %s.%s" % (t.__module__, t.__qualname__))

    def send(self, encoder, v):
        """Encodes a value of the tests. One that cannot cross fails the test."""
        try:
            return encoder(v)
        except Unencodable as e:
            self.refuse("the tests give the program %s, which cannot cross to its box" % e)

    def call(self, op, handle, args, kwargs, name=""):
        """Calls something of the program."""
        enc = self.encoder()
        fields = {"h": handle, "a": [self.send(enc, a) for a in args], "k": {k: self.send(enc, v) for k, v in kwargs.items()}}
        if name:
            fields["name"] = name
        return self.ask(op, enc.table, **fields)

    def set(self, handle, name, v):
        self.ask("set", h=handle, name=name, v=self.send(self.encoder(), v))

    def attribute(self, owner, handle, name, spelled=False):
        """An attribute. What plain values have as methods, no function and no class
        has in their place, but where the tests spell its name."""
        if name.startswith("__") and name not in READABLE:
            raise AttributeError(name)
        state = state_of(owner)
        v = self.ask("attr", h=handle, name=name)
        if v is Bound:
            v = BoundMethod(self, owner, handle, name)
        elif callable(v) and name in GUARDED and not spelled and (state is None or not state.made):
            return member(self, owner, name, True)
        return v


def lendable(t):
    """Tells whether a type is the tests' own."""
    return t.__module__ in TEST_MODULES


def steps(v):
    """Tells whether a value of the tests is an iterator of the language."""
    return type(v).__module__ in ("builtins", "itertools") and hasattr(type(v), "__next__")


CALLABLE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def standard_name(v):
    """Names a function or class of the standard library, or returns None."""
    if isinstance(v, types.FunctionType) and v.__module__ == __name__:
        v = getattr(v, "__wrapped__", v)
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


def library_error(module, name):
    """A class of exceptions of a library of arrays or tables, or None."""
    if ARRAYS and type(module) is str and type(name) is str and module.split(".")[0] in layout.LIBRARIES:
        c = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if isinstance(c, type) and issubclass(c, Exception) and not issubclass(c, AssertionError) and c.__module__ == module:
            return c
    return None


def error_text(e):
    return getattr(e, "_text", None) or ", ".join(map(str, e.args))


# Functions of the standard library by which tests judge. Where the tests do not
# import them from the program by name, the program's own never stand for them.
JUDGING_WORDS = {"isclose": "math", "isnan": "math", "isinf": "math", "isfinite": "math", "deepcopy": "copy"}


def trusted(name, form):
    module = JUDGING_WORDS.get(name)
    return module is None or form == {"g": [module, name]}


class Rewriter(exam.Rewriter):
    """Marks, beside what asserts need, the objects that the tests construct: a
    call by a class's name that in its scope means something of the program."""

    def __init__(self, reading):
        super().__init__(reading)
        self.scopes, self.blocks = [], 0
        self.flow = self.top = None
        # What the text names, the program may give: numbers that have no order.
        self.nan, self.infinite = reading.names_number("nan"), reading.names_number("inf")

    def inside(self, node):
        """Visits what has a scope of its own."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            body = [node.args] + (node.body if isinstance(node.body, list) else [node.body])
        else:
            body = node.generators
        self.scopes.append(self.reading.bindings(body))
        above = self.flow
        if above is self.top and above is not None and not isinstance(node, ast.Lambda) and body is not getattr(node, "generators", None):
            self.flow = flow.Flow(body, self.reading, self.of_program, True, above)
        judging = self.flow is not above and self.flow.judging
        self.generic_visit(node)
        if judging:
            node.body.insert(ast.get_docstring(node, False) is not None, self.judged(node.body[0]))
        self.flow = above
        self.scopes.pop()
        return node

    def judged(self, at):
        """Says that the program judges, by the text of what follows."""
        return self.at(at, ast.Expr(ast.Call(ast.Name("@judged", ast.Load()), [], [])))

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = inside
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = inside

    def of_program(self, name):
        for others, program in reversed(self.scopes):
            if name in others:
                return False
            if name in program:
                return True
        return name in self.reading.spelled

    def visit_Module(self, node):
        self.flow = self.top = flow.Flow(node.body, self.reading, self.of_program, False)
        self.reading.objects = self.flow.objects
        body = []
        for n in node.body:
            mark = [self.judged(n)] if id(n) in self.flow.statements else []
            new = self.visit(n)
            body += mark + (new if isinstance(new, list) else [new])
        node.body = body
        return node

    def visit_Assert(self, node):
        test = node.test
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:
            return super().visit_Assert(node)
        self.keep(test)
        self.order(test)
        done = super().visit_Assert(node)
        return self.settled(node, done) if isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None else done

    def visit_Compare(self, node):
        self.keep(node)
        self.order(node)
        return super().visit_Compare(node)

    def order(self, node):
        """Marks what a comparison asks for its order."""
        operands = [node.left, *node.comparators]
        for i in {j for k, o in enumerate(node.ops) if isinstance(o, ORDER) for j in (k, k + 1)}:
            operands[i] = self.ordered(operands[i])
        node.left, *node.comparators = operands

    def ordered(self, node):
        if isinstance(node, ast.Constant) or self.nan and self.infinite:
            return node
        return self.at(node, ast.Call(ast.Name("@ordered", ast.Load()), [node, ast.Constant(self.nan), ast.Constant(self.infinite)], []))

    def visit_Expr(self, node):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return super().visit_Expr(node)
        self.keep(call)
        if exam.last_name(call.func) in ORDERS:
            call.args[:2] = map(self.ordered, call.args[:2])
        word = exam.last_name(call.func)
        bare = (not word.startswith("assert") or word == "assertIsNone") and self.flow.calls(call)
        done = super().visit_Expr(node)
        return self.settled(node, done if isinstance(done, list) else [done]) if bare else done

    def visit_Assign(self, node):
        """What is compared with a result may have been computed before."""
        part = "value" if hasattr(node, "value") else "iter"
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and exam.last_name(node.targets[0]) == "_" and self.flow.calls(node.value):
            return self.settled(node, [self.generic_visit(node)])
        if self.flow is not None and id(node) in self.flow.computed:
            setattr(node, part, self.before(getattr(node, part), part == "value"))
        return self.generic_visit(node)

    visit_AnnAssign = visit_AugAssign = visit_NamedExpr = visit_For = visit_AsyncFor = visit_comprehension = visit_Assign

    def settled(self, node, done):
        """A call whose result nobody looks at is there for what it changes."""
        mark = ast.Assign([ast.Name("@altered", ast.Store())], ast.Call(ast.Name("@mark", ast.Load()), [], []))
        settle = ast.Expr(ast.Call(ast.Name("@settle", ast.Load()), [ast.Name("@altered", ast.Load())], []))
        return [self.at(node, mark), *done, self.at(node, settle)]

    def keep(self, node):
        """Puts what a comparison compares as it was before the calls whose results
        it is compared with, and marks one of two results."""
        operands = flow.sides(node)
        if self.flow is None or not operands:
            return
        pair, of = self.flow.pair(operands), [self.flow.of(o) for o in operands]
        equal = equality(node)
        for i, operand in enumerate(operands):
            others = operands[:i] + operands[i + 1:]
            if any(of[:i] + of[i + 1:]) and (not isinstance(operand, (ast.Name, ast.Attribute)) or equal and self.flow.itself(operand, others)):
                operands[i] = self.before(operand, equal and not any(map(self.flow.calls, operands[i + 1:])))
        if pair:
            operands[0] = self.at(node, ast.Call(ast.Name("@pair", ast.Load()), [operands[0]], []))
        if isinstance(node, ast.Compare):
            node.left, *node.comparators = operands
        else:
            node.args[:2] = operands

    def before(self, node, equal=True):
        """An expression with the attributes that it reads as they were before calls
        set them. One that two values are to be equal to has to be the same since."""
        once = any(isinstance(n, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) or isinstance(n, ast.Call) and not self.flow.harmless(n)
                   for n in ast.walk(node))
        live = Seer(self.flow, self.at).visit(ast.copied(node))
        kept = self.flow.kept(node, self.at)
        if not equal or once:
            return kept
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return self.at(live, ast.Call(ast.Name("@agreed", ast.Load()), [kept, ast.Lambda(nothing, live)], []))

    def visit_Call(self, node):
        callee = node.func
        while isinstance(callee, ast.Attribute):
            callee = callee.value
        made = isinstance(callee, ast.Name) and flow.constructs(exam.last_name(node.func)) and self.of_program(callee.id)
        if isinstance(node.func, ast.Attribute) and node.func.attr in GUARDED and self.flow is not None:
            self.guard(node)
        self.generic_visit(node)
        return self.at(node, ast.Call(ast.Name("@made", ast.Load()), [node], [])) if made else node

    def visit_With(self, node):
        """A context of the program that swallows an error must not end what asserts
        before it has."""
        last = max((i for i, n in enumerate(node.body) if any(asserts(x) for x in ast.walk(n))), default=None)
        own = {"self.", "cls."}  # what unittest has
        theirs = any(self.flow.got(c) and exam.root_name(c) not in self.flow.own and
                     not (isinstance(c, ast.Call) and flow.key(c.func).replace(exam.last_name(c.func), "") in own)
                     for c in (i.context_expr for i in node.items))
        if last is None or not theirs:
            return self.generic_visit(node)
        self.blocks += 1
        name = "@block%d" % self.blocks
        set = lambda v: self.at(node, ast.Assign([ast.Name(name, ast.Store())], ast.Constant(v)))
        node.body.insert(last + 1, set(True))
        end = ast.Expr(ast.Call(ast.Name("@reached", ast.Load()), [ast.Name(name, ast.Load())], []))
        return [set(False), self.generic_visit(node), self.at(node, end)]

    visit_AsyncWith = visit_With

    def visit_Name(self, node):
        word = self.flow.shown.get(id(node)) if self.flow is not None else None
        return self.at(node, ast.Call(ast.Name(word, ast.Load()), [node], [])) if word else node

    def visit_Attribute(self, node):
        word = self.flow.shown.get(id(node)) if self.flow is not None else None
        self.generic_visit(node)
        return self.at(node, ast.Call(ast.Name(word, ast.Load()), [node], [])) if word else node

    def guard(self, call):
        """Marks the call of a method that plain values have."""
        owner, attr = call.func.value, ast.Constant(call.func.attr)
        root, named = exam.root_name(owner), flow.named(owner)
        if named and (root in flow.BUILTINS or root in self.reading.standard_roots or root[:1] == "@"):
            return
        if named and self.of_program(root):
            word, args = "@own", [owner, attr]
        else:
            word, args = "@member", [owner, attr, ast.Constant(self.flow.plainly(owner))]
        call.func = self.at(call, ast.Call(ast.Name(word, ast.Load()), args, []))


ORDERS = frozenset("assertLess assertLessEqual assertGreater assertGreaterEqual".split())
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def asserts(node):
    """Tells whether a node is an assertion."""
    return isinstance(node, ast.Assert) or isinstance(node, ast.Call) and exam.last_name(node.func).startswith("assert")


def equality(node):
    """Tells whether a comparison or an assertion says that two values are equal."""
    if isinstance(node, ast.Compare):
        return all(isinstance(o, ast.Eq) for o in node.ops)
    word = exam.last_name(node.func).lower()
    return ("equal" in word or "close" in word) and "not" not in word


def assign(old, new):
    """Makes a container what another of its type is."""
    if type(old) in ARRAYS:
        ARRAYS[type(old)].replace(old, new)
    elif isinstance(old, (list, bytearray)):
        old[:] = new
    else:
        old.clear()
        (old.update if isinstance(old, (dict, set)) else old.extend)(new)


CONTAINERS = {list, tuple, set, dict, bytearray, deque, OrderedDict, defaultdict}
ARRAYS = {}  # the types of arrays and tables, where the tests use them: their module
SCALARS = (int, float, str, bytes, bool, complex)


def container(t):
    """Tells whether a type is that of a plain container, an array or a table. A Counter
    is of a module that the tests may not have."""
    return t in CONTAINERS or t in ARRAYS or t is getattr(sys.modules.get("collections"), "Counter", None)


def copied(v, seen=None):
    """Copies plain containers of the tests."""
    t = type(v)
    if t in ARRAYS:
        return v.copy()
    if not container(t):
        return v
    seen = {} if seen is None else seen
    if id(v) not in seen:
        if t is tuple:
            return tuple([copied(x, seen) for x in v])
        new = seen[id(v)] = v.copy()
        if t is list or t is deque:
            for i, x in enumerate(v):
                new[i] = copied(x, seen)
        elif isinstance(v, dict):
            for k, x in v.items():
                new[k] = copied(x, seen)
    return seen[id(v)]


def tell(x):
    return repr(x) if type(x) in SCALARS else id(x)


def alike(a, b, seen=None):
    """Tells whether two values of the tests are the same, as far as plain values go:
    no object is asked."""
    t = type(a)
    if a is b:
        return True
    if t is not type(b):
        return False
    if t in ARRAYS:
        return ARRAYS[t].alike(a, b)
    if not container(t):
        return t in SCALARS and repr(a) == repr(b) or t.__module__ in ("decimal", "datetime", "fractions") and a == b
    seen = set() if seen is None else seen
    if (id(a), id(b)) in seen:
        return True
    seen.add((id(a), id(b)))
    if len(a) != len(b):
        return False
    if t is bytearray:
        return a == b
    if t is set:
        return {tell(x) for x in a} == {tell(x) for x in b}
    if isinstance(a, dict):
        return all(k is o or alike(k, o, seen) for k, o in zip(a, b)) and all(alike(x, y, seen) for x, y in zip(a.values(), b.values()))
    return all(alike(x, y, seen) for x, y in zip(a, b))


class Seer(flow.Keeper):
    """Puts the arguments in an expression as calls left them."""

    def __init__(self, flow, at):
        super().__init__(flow, at)
        self.fixed = ()

    def visit_Name(self, node):
        return self.at(node, ast.Call(ast.Name("@now", ast.Load()), [node], [])) if self.theirs(node) else node

    def visit_Attribute(self, node):
        if isinstance(node.ctx, ast.Load) and flow.named(node) and self.theirs(node):
            return self.at(node, ast.Call(ast.Name("@now", ast.Load()), [node], []))
        return self.generic_visit(node)

    visit_Call = ast.NodeTransformer.generic_visit


class Runner(exam.Runner):
    rewriter = Rewriter


def guarded(kind):
    """map and filter, in whose functions a StopIteration ends nothing."""
    def make(f, *values):
        def call(*args):
            try:
                return f(*args)
            except StopIteration as e:
                raise RuntimeError("a function of the tests raised StopIteration") from e
        return kind(call if f is not None else None, *values)
    make.__name__ = make.__qualname__ = kind.__name__
    return make


class World:
    """How the tests reach the program: by imports, and by its bare names."""

    def __init__(self, link, main_file, modules, readings):
        self.link, self.main_file, self.modules = link, main_file, modules
        self.readings = readings
        self.main = None
        self.open = self.judged = False  # a case runs; what judged is kept by the tests
        self.tools = {"@made": self.construct, "@of": link.of, "@now": link.now, "@seen": link.seen, "@agreed": link.agreed,
                      "@member": lambda v, name, strict: member(link, v, name, strict), "@own": own_member, "@judged": self.judge,
                      "@mark": self.mark, "@settle": self.settle, "@pair": self.pair, "@reached": self.reached, "@ordered": self.ordered,
                      "map": guarded(map), "filter": guarded(filter), "max": self.extreme(max), "min": self.extreme(min)}

    # For exam.Runner.

    def same(self, a, b):
        return same(self.link.root(a), self.link.root(b))

    @property
    def dead(self):
        return self.link.dead

    @property
    def uses(self):
        return self.link.number

    def construct(self, v):
        """What a construction gave that the tests spell."""
        return made(v)

    def judge(self):
        self.link.judged = True

    def reached(self, reached):
        if not reached:
            self.link.refuse("a context of the program swallowed an error before the tests had asserted all that they assert in it")

    def ordered(self, v, nan, infinite):
        """Gives what is asked for its order. A number that is none, or that has no
        end, answers by no value: no tests ask for it that do not name it."""
        t = type(v)
        if t is int or t is str:
            return v
        for x in v if t is tuple or t is list else (v,):
            if type(x) in ARRAYS and not nan and ARRAYS[type(x)].undefined(x) or (isinstance(x, float) or type(x).__module__ == "numpy") and (
                    not nan and undefined(x) or not infinite and endless(x)):
                self.link.refuse("the tests ask for the order of %s, which they do not expect" % exam.bounded_repr(v, 200))
        return v

    def extreme(self, kind):
        """max or min, whose answer a number that is none would decide."""
        nan = any(r.names_number("nan") for r in self.readings)

        def find(*values, **how):
            if len(values) == 1:
                values = [list(values[0])]
            for x in values[0] if len(values) == 1 else values:
                self.ordered(x, nan, True)
            return kind(*values, **how)
        find.__name__ = find.__qualname__ = kind.__name__
        find.__wrapped__ = kind
        return find

    def mark(self):
        return dict(self.link.altered), {k: v[2] for k, v in self.link.hidden.items()}

    def settle(self, before):
        """What changed since is as the tests want it."""
        self.link.altered = before[0]
        self.link.commit(before[1])

    def pair(self, v):
        """Two results are compared that the tests use as objects, as their text says."""
        self.link.judged = self.link.pairs = True
        return v

    # What the case that runs is worth.

    def begin(self):
        self.keep()
        self.link.pairs = False
        self.link.with_objects = any(r.objects for r in self.readings)
        self.open = True

    def keep(self):
        """What the program judged outside of a case counts for all that follow."""
        self.judged = self.judged or self.link.judged
        self.link.judged = False

    def end(self):
        """Returns what a pass of the case is worth less than the exam."""
        judged = self.judged or self.link.judged
        self.link.judged, self.open = False, False
        return "candidate_judged" if judged else ""

    def spoiled(self):
        """Says why the case that runs cannot pass, once."""
        why, self.link.refused = self.link.refused, None
        return why

    def names(self, reading):
        """The bare names that a test file takes from the main module."""
        wanted = sorted(n for n in reading.free if n[:2] != "__" and
                        n not in exam.ASSERTING and not n.startswith("assert"))
        if not wanted or not self.main_file:
            return {}
        modules = reading.modules_used()
        return {n: self.value(n, form) for n, form in self.forms(self.main_module(), wanted)
                if (n not in modules or form == {"mod": exam.ALIASES.get(n, n)}) and trusted(n, form)}

    def entry(self, name):
        """The entry point: a name, or an expression such as Solution().add."""
        if not self.main_file:
            raise LookupError("the program has no main file to find %s in" % name)
        tree = ast.parse(name, "<entry>", "eval")
        words = types.SimpleNamespace(spelled={n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}, bindings=lambda body: (set(), set()),
                                      names_number=lambda name: True)
        code = compile(Rewriter(words).visit(tree), "<entry>", "eval")
        names = {n: self.value(n, form) for n, form in self.forms(self.main_module(), [n for n in code.co_names if n != "@made"])}
        return eval(code, {**names, "@made": self.construct})

    def foreign(self, e):
        return id(e) in self.link.raised

    def unparsed(self, e):
        """Where a file of the program does not parse that the tests import.
        With a main file all are parsed before."""
        if not self.main_file and id(e) in self.link.raised and isinstance(e, SyntaxError):
            return worker_syntax(e)
        return None

    def describe(self, e):
        found = self.link.raised.get(id(e))
        if isinstance(e, (Gone, Refused)):
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

    def star(self, module, names):
        """What `import *` brings: names that the tests use and do not bind."""
        free = set().union(*(r.free for r in self.readings))
        found = [n for n in dict.fromkeys(names) if n in free and not n.startswith("_") and n not in exam.ASSERTING]
        doubted = {n for n in found if n in JUDGING_WORDS}
        forms = dict(self.forms(module, sorted(doubted))) if doubted else {}
        return [n for n in found if n not in doubted or trusted(n, forms.get(n))]

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
            real = exam.ALIASES.get(name, name)
            if form["mod"] == real and (real.split(".")[0] in sys.stdlib_module_names or ARRAYS and real in layout.LIBRARIES):
                return importlib.import_module(real)
        if type(form) is dict and list(form) == ["bound"]:
            self.link.die("the program's process broke the protocol: a name")
        return self.link.guard(lambda: self.link.decoder((), True)(form))

    # The last finder: what the harness has itself is never the program's.

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        return ModuleSpec(name, self, is_package=any(m.startswith(name + ".") for m in self.modules))

    def create_module(self, spec):
        return self.main_module() if self.modules[spec.name] == "" else self.module(self.modules[spec.name], spec.name)

    def exec_module(self, module):
        pass


def share_seed(link):
    """Makes a seed that the tests set the program's, too."""
    import random
    seed = random.seed

    def both(*args, **kwargs):
        seed(*args, **kwargs)
        link.ask("seed", v=[link.send(link.encoder(), a) for a in [*args, *kwargs.values()]])
    random.seed = both


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
            report.event(type="unrunnable", reason="the tests do not parse: %s: %s, line %s" % (path, e, getattr(e, "lineno", "?")))
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
    form, why, *lacks = needs.verdict(readings, modules, config["main"])
    libraries = needs.libraries(readings)
    if form == "not here":
        report.event(type="unrunnable", reason=why, missing=lacks[0])
        return
    if form == "apart" and any(not p.endswith(".py") for p in config["tests"]):
        form, why = "together", "use files that they share with the program"
    if form == "together":
        report.event(type="fallback", reason="the tests %s: the program must share their process" % why)
        return
    TEST_MODULES.update(["__main__"], (r.name for r in readings))
    link = Link()
    if libraries:
        from _glovebox import tables
        tables.enable(link.refuse)
        for name in libraries:
            try:
                importlib.import_module(name)
            except Exception as e:
                report.event(type="unrunnable", reason="the tests need %s, which does not load here: %s" % (name, exam.clip(str(e), 300)), missing=[name])
                return
        ARRAYS.update((t, tables) for t in tables.types())
    world = World(link, config["main"], modules, readings)
    try:
        reply = link.exchange("open", (), {"main": config["main"], "files": config["files"], "capture": any(r.captures for r in readings),
                                           "tables": bool(libraries)})
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
    runner = Runner(report, world, config["entry"])
    link.answered, link.failed = False, runner.details
    if any("random" in r.standard_roots and "seed" in r.identifiers for r in readings):
        share_seed(link)
    try:
        runner.run(readings, packages(config["files"]))
    except exam.Unparsed as e:
        report.event(type="syntax", syntax=e.syntax)
        return
    link.dead = link.dead or link.refused
    if link.dead:
        report.event(type="broken", reason=link.dead)
        if not report.failed:
            report.case("end", "error", link.dead)
    elif not link.modules and not report.failed:
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

