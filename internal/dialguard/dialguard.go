// Package dialguard restricts the addresses of downloads. The names of hosts
// come from registries, locks and redirects. Addresses are checked when a
// connection is made: no name can lead to this machine, the local network or
// the credentials of a cloud's machine.
package dialguard

import (
	"fmt"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// public knows IANA's registries of non-public addresses. Addresses for
// documentation belong neither to a host of the internet nor to an operator's
// network: an answer from such an address comes from a proxy that answers for
// every name.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork(), ssrf.WithAllowedV4Prefixes(
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
))

// nat64 is the prefix under which IPv6 networks reach IPv4 addresses.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// plain returns the final address of a packet to ip, as far as all networks
// agree on it.
func plain(ip netip.Addr) netip.Addr {
	ip = ip.WithZone("").Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}

// Public fails for an address outside the internet's hosts: private, loopback,
// link-local, reserved, or such an address in the form of IPv6.
func Public(ip netip.Addr) error {
	if err := Named(ip); err != nil {
		return err
	}
	if ip = plain(ip); public.SafeAddr(ip) != nil {
		return fmt.Errorf("%s is a private address that was not asked for: refused", ip)
	}
	return nil
}

// within are addresses of an operator's own networks. The last is meant for tests
// of networks, and is what some proxies answer for every name.
var within = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15"),
}

// Named is [Public] for a host named by the operator, possibly on the
// operator's own networks. Link-local addresses, home of clouds' credentials,
// are refused all the same.
func Named(ip netip.Addr) error {
	ip = plain(ip)
	for _, p := range within {
		if p.Contains(ip) {
			return nil
		}
	}
	if public.SafeAddr(ip) != nil {
		return fmt.Errorf("%s is a link-local address or nobody's: refused", ip)
	}
	return nil
}

// NamedOnly is a [net.Dialer.Control] that connects to addresses of [Named].
func NamedOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return Named(at.Addr())
}
