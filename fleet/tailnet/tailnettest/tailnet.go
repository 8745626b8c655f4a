// Package tailnettest runs a real tailnet on loopback: Tailscale's control server for tests, a relay, and nodes that
// are the real tailscaled. It needs no root, and does not touch a tailnet that the machine is in.
//
// The control server does not implement logout and ephemeral nodes, and has only one key. Package apitest stands in
// for what an admin does.
package tailnettest

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"tailscale.com/derp/derpserver"
	"tailscale.com/net/stunserver"
	"tailscale.com/tailcfg"
	"tailscale.com/tstest/integration/testcontrol"
	"tailscale.com/types/key"
	"tailscale.com/types/logger"
)

// Tag is the tag that nodes may request.
const Tag = "tag:ocaptain-ship"

// Domain is the domain of the nodes' names.
const Domain = "lab.ts.net"

// Tailnet is a running tailnet.
type Tailnet struct {
	URL string // URL of its control server, for "tailscale up --login-server"
	Key string // the key with which nodes join, "" when any is accepted

	t       testing.TB
	control *testcontrol.Server
	members members
}

// quiet keeps a log message of the STUN server out of the tests' output.
var quiet = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// Start starts a tailnet, which runs until the test ends. Nodes join with authKey or, if it is "", with any key.
func Start(t testing.TB, authKey string) *Tailnet {
	t.Helper()
	quiet()
	control := &testcontrol.Server{
		Logf: logger.Discard, DERPMap: relay(t), RequireAuthKey: authKey,
		AllNodesSameUser: true, AllOnline: true, MagicDNSDomain: Domain,
		DNSConfig: &tailcfg.DNSConfig{Proxied: true}, TagOwners: map[string][]string{Tag: {Tag}},
	}
	listener := listen(t)
	control.ExplicitBaseURL = "http://" + listener.Addr().String()
	n := &Tailnet{t: t, URL: control.ExplicitBaseURL, Key: authKey, control: control, members: members{known: map[key.NodePublic]bool{}}}
	control.HoldMapRequest = n.see
	server := &http.Server{Handler: control, ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // on loopback, for a test
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return n
}

// relay runs a DERP server with STUN, by which nodes find each other.
func relay(t testing.TB) *tailcfg.DERPMap {
	t.Helper()
	derp := derpserver.New(key.NewNode(), logger.Discard)
	server := httptest.NewUnstartedServer(derpserver.AddWebSocketSupport(derp, derpserver.Handler(derp)))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){} // turn off HTTP/2
	server.StartTLS()
	ctx, cancel := context.WithCancel(context.Background())
	stun := stunserver.New(ctx)
	if err := stun.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _ = stun.Serve() })
	t.Cleanup(func() {
		cancel()
		done.Wait()
		server.CloseClientConnections()
		server.Close()
		_ = derp.Close()
	})
	return &tailcfg.DERPMap{OmitDefaultRegions: true, Regions: map[int]*tailcfg.DERPRegion{1: {
		RegionID: 1, RegionCode: "test",
		Nodes: []*tailcfg.DERPNode{{
			Name: "t1", RegionID: 1, HostName: "127.0.0.1", IPv4: "127.0.0.1", IPv6: "none",
			STUNPort: stun.LocalAddr().(*net.UDPAddr).Port, STUNTestIP: "127.0.0.1",
			DERPPort: server.Listener.Addr().(*net.TCPAddr).Port, InsecureForTests: true,
		}},
	}}}
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
