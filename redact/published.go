package redact

// publishedKeys are the keys known to [published], sorted. They are also allowed by
// name in gitleaks.
var publishedKeys = []uint64{
	0x0b476bdf9acf2123,
	0x2037abcaffb2b777,
	0x27a9a42931dff7eb,
	0x37f8f09bdf12c2f2,
	0x3a8b61d0f636b007,
	0x3f370c9dd8225c63,
	0x49f777db995e8260,
	0x4c98242dcadc8b29,
	0x8731261cb72d8626,
	0xa19f89ab3555eac1,
	0xa6c814bc555ae62c,
	0xdc0fcf046c61640c,
	0xe4a5542bb7fd7b67,
	0xea9bb1082cf95663,
	0xeb540d2b6ee2a0a4,
}
