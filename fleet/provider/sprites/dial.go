package sprites

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// messageMax is the longest message that is accepted from the service, in bytes.
const messageMax = 4 << 20

// socket opens a WebSocket to a sprite, which wakes it.
func (p *Provider) socket(ctx context.Context, path string, query url.Values) (*websocket.Conn, error) {
	credentials, address, err := p.address(path, query)
	if err != nil {
		return nil, err
	}
	ws, answer, err := websocket.Dial(ctx, address.String(), &websocket.DialOptions{
		HTTPClient: p.client,
		HTTPHeader: http.Header{"Authorization": {"Bearer " + credentials.Token}},
	})
	switch {
	case err == nil:
		ws.SetReadLimit(messageMax)
		return ws, nil
	case ctx.Err() != nil:
		err = fmt.Errorf("sprites.dev: %w", ctx.Err())
	case answer != nil && answer.StatusCode != http.StatusSwitchingProtocols:
		var body io.Reader = bytes.NewReader(nil)
		if answer.Body != nil {
			body = answer.Body
		}
		err = refusal(answer, body)
	default:
		err = broken(err)
	}
	return nil, withoutToken(err, credentials.Token)
}

// Dial connects to the machine's SSH server through the service's tunnel. It wakes a paused sprite, and the open
// connection keeps it awake.
func (p *Provider) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	if !isName(m.Name) {
		return nil, fmt.Errorf("sprite %.100q: %w", m.Name, provider.ErrNotFound)
	}
	if c, err := p.options.Credentials(); err == nil && c.Command != "" {
		conn, err := p.dialByCommand(ctx, c, m.Name)
		return conn, spriteError(m.Name, err)
	}
	ws, err := p.socket(ctx, spritePath(m.Name, "proxy"), nil)
	if err != nil {
		return nil, spriteError(m.Name, err)
	}
	if err := connect(ctx, ws); err != nil {
		_ = ws.CloseNow()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, spriteError(m.Name, err)
	}
	return &tunnel{websocket.NetConn(context.Background(), ws, websocket.MessageBinary), ws}, nil
}

// connect asks the tunnel for a connection to the SSH server.
func connect(ctx context.Context, ws *websocket.Conn) error {
	to, err := json.Marshal(map[string]any{"host": sshd.StandingHost, "port": sshd.StandingPort})
	if err != nil {
		return err
	}
	if err := ws.Write(ctx, websocket.MessageText, to); err != nil {
		return broken(err)
	}
	kind, raw, err := ws.Read(ctx)
	if err != nil {
		return broken(err)
	}
	var said struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if kind != websocket.MessageText || json.Unmarshal(raw, &said) != nil {
		return errors.New("the tunnel of sprites.dev gives an answer that makes no sense")
	}
	if said.Status != "connected" {
		return &provider.Temporary{Err: fmt.Errorf("its SSH server does not answer: %s %s", webapi.ShortLine(said.Status, 100), webapi.ShortLine(said.Error, 300))}
	}
	return nil
}

// tunnel is a connection whose Close does not wait.
type tunnel struct {
	net.Conn
	ws *websocket.Conn
}

func (t *tunnel) Close() error { return t.ws.CloseNow() }

// greets checks that the machine's SSH server answers.
func (p *Provider) greets(ctx context.Context, name string) error {
	conn, err := p.Dial(ctx, provider.Machine{Name: name})
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	greeting := make([]byte, 8)
	if _, err := io.ReadFull(conn, greeting); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return &provider.Temporary{Err: fmt.Errorf("sprite %s: its SSH server does not answer: %w", name, err)}
	}
	if string(greeting) != "SSH-2.0-" {
		return fmt.Errorf("sprite %s: something other than an SSH server answers", name)
	}
	return nil
}

// untilGreets waits until the machine's SSH server answers.
func (p *Provider) untilGreets(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for n := 1; ; n++ {
		err := p.greets(ctx, name)
		var later *provider.Temporary
		if err == nil || !errors.As(err, &later) {
			return err
		}
		if e := patience.Pause(ctx, min(n, 4), later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}
