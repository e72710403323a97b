// Package native has what tiers share whose boxes are processes of the host's
// own kernel: it starts gloves on the host and makes their name spaces, gives
// boxes users that are nobody's, puts limits and walls on commands, and kills
// and measures a box from outside ([Ground]).
package native
