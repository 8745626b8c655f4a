package tailnet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/webapi"
)

// Daemon is a tailscaled, which is reached by its socket.
//
// Tailscale's own client would double the size of the program that every ship gets and all hooks load, for only two
// requests.
type Daemon struct {
	Socket string
}

// DefaultSocket returns the path of tailscaled's socket on this system.
func DefaultSocket() string {
	if runtime.GOOS == "darwin" {
		return "/var/run/tailscaled.socket"
	}
	return "/var/run/tailscale/tailscaled.sock"
}

// Status is the status that a tailscaled reports.
type Status struct {
	State string `json:"BackendState"` // see Running
	TUN   bool   // the whole machine is in the tailnet, and not only clients of tailscaled
	Self  Node
}

// Running is the State of a tailscaled that is in a tailnet.
const Running = "Running"

// Node is a member of the tailnet.
type Node struct {
	ID   string       // the id that the API uses
	IPs  []netip.Addr `json:"TailscaleIPs"`
	Tags []string
}

// Address returns the node's address, the IPv4 one if it has both.
func (n Node) Address() netip.Addr {
	for _, ip := range n.IPs {
		if ip.Is4() {
			return ip
		}
	}
	if len(n.IPs) > 0 {
		return n.IPs[0]
	}
	return netip.Addr{}
}

// ErrDown means that no tailscaled listens.
var ErrDown = errors.New("tailscaled does not run")

// connect connects to the daemon's socket. It fails at once if none listens.
func (d Daemon) connect(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", d.Socket)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("tailscaled: %w", err)
	}
	return nil, fmt.Errorf("%w: %w", ErrDown, err)
}

// askDaemon makes one request. The caller reads the rest of the answer from the connection and closes it. Until stop
// is called, the end of ctx interrupts the connection.
func (d Daemon) askDaemon(ctx context.Context, method, path string, header http.Header) (answer *http.Response, conn net.Conn, stop func() bool, err error) {
	if conn, err = d.connect(ctx); err != nil {
		return nil, nil, nil, err
	}
	stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	request := &http.Request{
		Method: method, URL: &url.URL{Scheme: "http", Host: "local-tailscaled.sock", Path: "/localapi/v0/" + path}, Host: "local-tailscaled.sock",
		Header: header, ProtoMajor: 1, ProtoMinor: 1,
	}
	if path, query, ok := strings.Cut(path, "?"); ok {
		request.URL.Path, request.URL.RawQuery = "/localapi/v0/"+path, query
	}
	if err = request.Write(conn); err == nil {
		in := bufio.NewReader(conn)
		if answer, err = http.ReadResponse(in, request); err == nil {
			return answer, &begun{conn, in}, stop, nil
		}
	}
	stop()
	conn.Close()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, nil, nil, fmt.Errorf("tailscaled: %w", err)
}

// Status returns the daemon's status.
func (d Daemon) Status(ctx context.Context) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var s Status
	answer, conn, stop, err := d.askDaemon(ctx, http.MethodGet, "status?peers=false", http.Header{})
	if err != nil {
		return s, err
	}
	defer conn.Close()
	defer stop()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(refusalLine(answer.Status, raw))
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, fmt.Errorf("status of tailscaled: %w", err)
	}
	return s, nil
}

// Dial connects to a port of a node, by address or name, through the daemon. There is no half-close: with tailscaled,
// the connection ends for both sides at once.
func (d Daemon) Dial(ctx context.Context, host string, port int) (net.Conn, error) {
	answer, conn, stop, err := d.askDaemon(ctx, http.MethodPost, "dial", http.Header{
		"Connection": {"upgrade"}, "Upgrade": {"ts-dial"},
		"Dial-Host": {host}, "Dial-Port": {strconv.Itoa(port)}, "Dial-Network": {"tcp"},
	})
	if err != nil {
		return nil, err
	}
	switch {
	case answer.StatusCode == http.StatusSwitchingProtocols && stop():
		return conn, nil
	case answer.StatusCode == http.StatusOK && answer.Header.Get("Dial-Self") == "true":
		err = fmt.Errorf("%.100q is nothing of the tailnet's", host)
	default:
		raw, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		err = errors.New(refusalLine(answer.Status, raw))
	}
	stop()
	conn.Close()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, fmt.Errorf("dial %.100s through tailscaled: %w", host, err)
}

// refusalLine returns the daemon's error message as one line.
func refusalLine(status string, body []byte) string {
	return strings.TrimSpace(status + " " + webapi.ShortLine(string(body), 300))
}

// begun is a connection whose first bytes were already read.
type begun struct {
	net.Conn
	in *bufio.Reader
}

func (b *begun) Read(p []byte) (int, error) { return b.in.Read(p) }
