// Package audit keeps the record of decisions and executions, which can be checked
// without trusting the machine that wrote the record.
//
// A [Log] is a folder of four files:
//
//	log.jsonl    the entries: one JSON object on each line, only appended to
//	checkpoints  each signed head of the log, the oldest first
//	checkpoint   the newest signed head
//	hashes       the stored hashes of the Merkle tree: a cache, never trusted
//
// The entries are the leaves of an RFC 6962 Merkle tree: a leaf is the exact bytes of a
// line, without its newline. A head is a C2SP checkpoint: a signed note with the log's
// origin, the number of entries and the root of the tree.
//
// [Log.Append] returns when the entry and a head that covers the entry are on the disk.
// Entries that are appended at the same time share one write, one head and one sync.
// Several processes can append to one folder.
//
// [Verify] reads a folder with public keys alone and names the first bad record. A log
// that was cut back as a whole is found only against a head that was kept elsewhere: each
// observation carries one, and a [Witness] is given each.
//
// [Prove] makes a C2SP tlog-proof that one entry is in the log; [CheckProof], or any
// other implementation of the format, checks the proof.
//
// No program text, output or secret is in an entry: [Execution] takes hashes, counts and
// words of closed sets.
package audit
