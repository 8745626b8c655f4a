package hosts

import (
	"context"
	"errors"
	"net"
	"testing"
)

// TestTailnetHost reaches a host in the tailnet through Tailscale where the network does not lead there, and no other.
func TestTailnetHost(t *testing.T) {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	var asked []string
	p := &Provider{options: Options{Tailnet: func(_ context.Context, host string, port int) (net.Conn, error) {
		if asked = append(asked, host); port != 1 {
			t.Errorf("port %d", port)
		}
		return near, nil
	}}}
	const away = "[fd7a:115c:a1e0:ffff:ffff:ffff:ffff:1]:1" // no network leads there
	if conn, err := p.direct(t.Context(), away); err != nil || conn != near {
		t.Errorf("%v, %v", conn, err)
	}
	if _, err := p.direct(t.Context(), "127.0.0.1:1"); err == nil {
		t.Error("nobody listens on loopback")
	}
	if len(asked) != 1 || asked[0] != "fd7a:115c:a1e0:ffff:ffff:ffff:ffff:1" {
		t.Errorf("asked for %s", asked)
	}
	p.options.Tailnet = func(context.Context, string, int) (net.Conn, error) { return nil, errors.New("no tailnet") }
	if _, err := p.direct(t.Context(), away); err == nil {
		t.Error("there is no way")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if conn, err := p.direct(ctx, away); !errors.Is(err, context.Canceled) || conn != nil {
		t.Errorf("cancelled: %v, %v", conn, err)
	}
	for host, want := range map[string]bool{
		"100.64.0.1": true, "100.128.0.1": false, "10.0.0.1": false, "fd7a:115c:a1e0::1": true,
		"box.tail1234.ts.net": true, "BOX.TS.NET.": true, "example.org": false, "ts.net.example.org": false,
	} {
		if inTailnet(host) != want {
			t.Errorf("%s: %t", host, !want)
		}
	}
}
