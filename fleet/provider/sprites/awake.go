package sprites

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"ocaptain/fleet/provider/describe"
)

// awakeSocket is the socket at which a machine accepts tasks that keep it from being paused.
const awakeSocket = "/.sprite/api.sock"

// awake returns a function that keeps this machine awake, nil if it is no sprite.
func awake() describe.KeepAwake { return awakeAt(awakeSocket) }

func awakeAt(socket string) describe.KeepAwake {
	if _, err := os.Stat(socket); err != nil {
		return nil
	}
	return func(ctx context.Context, name string, long time.Duration) error {
		return keepAwake(ctx, socket, name, long)
	}
}

// keepAwake implements describe.KeepAwake with the machine's own API.
func keepAwake(ctx context.Context, socket, name string, long time.Duration) error {
	method, body := http.MethodPut, []byte(nil)
	if long <= 0 {
		method = http.MethodDelete
	} else {
		body, _ = json.Marshal(map[string]string{"expire": long.String()})
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://sprite/v1/tasks/"+name, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("keep the machine awake: %w", err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode >= 300 && answer.StatusCode != http.StatusNotFound {
		return fmt.Errorf("keep the machine awake: its answer is %s", answer.Status)
	}
	return nil
}
