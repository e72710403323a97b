package dialguard

import (
	"net/netip"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, tt := range []struct {
		ip            string
		public, named bool
	}{
		{"93.184.216.34", true, true},
		{"2606:2800:220:1::1", true, true},
		{"64:ff9b::5db8:d822", true, true}, // the first, through NAT64
		{"203.0.113.7", true, true},        // for documentation, so a proxy's
		// An operator's own.
		{"127.0.0.1", false, true}, {"::1", false, true}, {"10.1.2.3", false, true}, {"192.168.1.1", false, true},
		{"172.31.0.1", false, true}, {"fd00::1", false, true}, {"100.64.0.1", false, true}, {"198.18.0.7", false, true},
		{"::ffff:127.0.0.1", false, true}, {"64:ff9b::7f00:1", false, true},
		// Of the link, with a cloud's credentials, and of nobody.
		{"169.254.169.254", false, false}, {"fe80::1", false, false}, {"fe80::1%eth0", false, false},
		{"::ffff:169.254.169.254", false, false}, {"64:ff9b::a9fe:a9fe", false, false},
		{"0.0.0.0", false, false}, {"0.1.2.3", false, false}, {"::", false, false},
		{"224.0.0.1", false, false}, {"ff02::1", false, false}, {"255.255.255.255", false, false}, {"240.0.0.1", false, false},
		{"192.0.0.192", false, false}, {"fec0::1", false, false}, {"2001:db8::1", false, false},
		// Another address within one of IPv6: compatible, 6to4, Teredo, local NAT64.
		{"::127.0.0.1", false, false}, {"2002:7f00:1::", false, false}, {"2002:a9fe:a9fe::", false, false},
		{"2001:0:a9fe:a9fe::", false, false}, {"64:ff9b:1::a9fe:a9fe", false, false},
	} {
		ip := netip.MustParseAddr(tt.ip)
		if got := Public(ip) == nil; got != tt.public {
			t.Errorf("%s, which a stranger names: %v", tt.ip, Public(ip))
		}
		if got := Named(ip) == nil; got != tt.named {
			t.Errorf("%s, which the operator names: %v", tt.ip, Named(ip))
		}
	}
}

func TestNamedOnly(t *testing.T) {
	for address, want := range map[string]bool{"93.184.216.34:443": true, "10.0.0.1:8080": true, "169.254.169.254:80": false, "[fe80::1]:80": false, "nowhere": false} {
		if err := NamedOnly("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}
