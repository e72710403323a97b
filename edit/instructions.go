package edit

import "strings"

// Instructions tells a model how to write edits. It is part of a prompt.
var Instructions = strings.ReplaceAll(`Write each change in one of these forms. Paths are relative to the repository.

1. Change a part of a file: a search/replace block, with the path on the line before it.

'''python
src/shop/cart.py
<<<<<<< SEARCH
def total(items):
    return sum(i.price for i in items)
=======
def total(items):
    return sum(i.price * i.count for i in items)
>>>>>>> REPLACE
'''

- SEARCH must repeat whole lines of the file exactly, with all spaces and comments, and those lines must stand in the file only once: add lines before or after until they do.
- Write several small blocks rather than one large one. Each block is applied to the result of those before it.
- An empty REPLACE removes the lines. An empty SEARCH makes a new file.
- Do not use this form where the text has a line that consists of equals signs.

2. Write a whole file, new or in place of the old one: its path on a line of its own, then a fence with the full content. Never leave out code or write "... rest of the code". Use a longer fence (four backquotes) where the file itself has lines of three.

tests/test_total.py
'''python
from shop.cart import total
'''

3. Delete or rename a file: a line of its own.

*** Delete File: src/shop/old.py
*** Rename File: src/shop/a.py -> src/shop/b.py

4. A unified diff in a fence with the tag diff also works. Its context lines must be exactly those of the file.

All changes of a reply are made together; if one of them cannot be made, none is, and you are told why. A fence without a path is an example and changes nothing.
`, "'''", "```")
