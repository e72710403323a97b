package keys

// permissive: a mode says nothing here; the folder's own access list decides.
const permissive = true
