package spritestest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/coder/websocket"
)

// proxy is the tunnel: the first message is its target as text, and bytes follow.
func (s *sprite) proxy(w http.ResponseWriter, r *http.Request) {
	box, release, err := s.use()
	if err != nil {
		fail(w, http.StatusNotFound, "sprite not found", "")
		return
	}
	defer release()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	defer s.keep(closer{ws})()
	ws.SetReadLimit(16 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	kind, raw, err := ws.Read(ctx)
	var to struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	if err != nil || kind != websocket.MessageText || json.Unmarshal(raw, &to) != nil || to.Port < 1 {
		_ = ws.Close(websocket.StatusPolicyViolation, "first message must be the target")
		return
	}
	target := net.JoinHostPort(to.Host, strconv.Itoa(to.Port))
	say := func(v map[string]string) {
		raw, _ := json.Marshal(v)
		_ = ws.Write(ctx, websocket.MessageText, raw)
	}
	client, err := box.enter()
	if err != nil {
		say(map[string]string{"status": "error", "error": err.Error()})
		return
	}
	defer client.Close()
	far, err := client.Dial("tcp", target)
	if err != nil {
		say(map[string]string{"status": "error", "error": err.Error()})
		return
	}
	defer far.Close()
	say(map[string]string{"status": "connected", "target": target})
	near := websocket.NetConn(ctx, ws, websocket.MessageBinary)
	go func() {
		_, _ = io.Copy(far, near)
		cancel()
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
}
