package run

import (
	"context"
	"net"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/telemetry"
)

// receiveTelemetry receives what the agent exports, at a port of the ship's loopback, until the runner ends. It stores the data on
// the ship until serve has delivered them. If it fails, the ship works without telemetry.
func (r *runner) receiveTelemetry(ctx context.Context) {
	if !r.ship.Telemetry {
		return
	}
	spool, err := telemetry.OpenSpool(r.home.Telemetry())
	if err != nil {
		r.book.Log("error", "what the agent measures is not received: "+err.Error(), "")
		return
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		r.book.Log("error", "what the agent measures is not received: "+err.Error(), "")
		_ = spool.Close()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = telemetry.Serve(ctx, l, telemetry.NewSpoolReceiver(spool, r.telemetryKey, r.ship.Contents))
	}()
	r.telemetry = agent.Telemetry{
		Endpoint: "http://" + l.Addr().String(), Headers: telemetry.KeyHeader + "=" + r.telemetryKey, Contents: r.ship.Contents,
	}
	r.undo = append(r.undo, func() {
		cancel()
		<-done
		_ = spool.Close()
	})
}
