"""Prints the libraries that are here, `name version` a line."""
import importlib.metadata
import sys

MOST = 400

print("Python %s" % sys.version.split()[0])
print("(standard library) " + " ".join(sorted(n for n in sys.stdlib_module_names if not n.startswith("_"))))
found = {}
for d in importlib.metadata.distributions():
    try:
        name = d.metadata["Name"]
        if name:
            found.setdefault(name, d.version)
    except Exception:
        pass
for name in sorted(found, key=str.lower)[:MOST]:
    print(name, found[name])
if len(found) > MOST:
    print("(%d more)" % (len(found) - MOST))
