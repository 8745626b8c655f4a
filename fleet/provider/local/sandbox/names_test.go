package sandbox

import (
	"net/netip"
	"strings"
	"testing"
)

var own = []netip.Addr{netip.MustParseAddr("172.17.0.1"), netip.MustParseAddr("fe80::1")}

func TestShipNames(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"nameserver 9.9.9.9\n": "nameserver 9.9.9.9\n",
		"nameserver 10.0.0.1":  "nameserver 10.0.0.1",
		"# stub\nnameserver 127.0.0.53\noptions edns0\nsearch lan\n": "# stub\noptions edns0\nsearch lan\nnameserver 169.254.1.53\n",
		"nameserver 127.0.0.1\nnameserver 9.9.9.9\n":                 "nameserver 169.254.1.53\n",
		"nameserver ::1\n":           "nameserver 169.254.1.53\n",
		"nameserver 0.0.0.0\n":       "nameserver 169.254.1.53\n",
		"nameserver 172.17.0.1\n":    "nameserver 169.254.1.53\n",
		"nameserver fe80::1%eth0\n":  "nameserver 169.254.1.53\n",
		"nameserver fe80::2%eth0\n":  "nameserver fe80::2%eth0\n",
		"\tnameserver\t127.0.0.53\n": "nameserver 169.254.1.53\n",
	} {
		if got, changed := shipNames(text, own); got != want || changed != (got != text) {
			t.Errorf("%q becomes %q, %v", text, got, changed)
		}
	}
}

func FuzzShipNames(f *testing.F) {
	f.Add("nameserver 127.0.0.53\nsearch lan")
	f.Fuzz(func(t *testing.T, text string) {
		got, changed := shipNames(text, own)
		if !changed {
			if got != text {
				t.Errorf("%q becomes %q", text, got)
			}
			return
		}
		if again, changed := shipNames(got, own); changed || again != got || strings.Count(got, "nameserver "+dnsForward) < 1 {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}
