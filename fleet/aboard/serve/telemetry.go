package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/telemetry"
	"ocaptain/sync/whole"
	"ocaptain/tasks/watch"
)

// deliverTelemetry sends helm what the runner has spooled, as long as helm is connected.
func deliverTelemetry(ctx context.Context, home shipdir.Dir, helm *wire.Conn) error {
	dir := home.Telemetry()
	if err := whole.MakeDir(dir, 1, 0o700); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(dir); err != nil {
		return fmt.Errorf("follow telemetry: %w", err)
	}
	pauses := retry.Doubling(time.Second, time.Minute)
	for {
		err := deliverParcels(ctx, home, helm)
		if ctx.Err() != nil || wire.Gone(err) {
			return nil
		}
		if err != nil { // helm or this ship has no room at the moment
			if retry.Sleep(ctx, pauses.NextBackOff()) != nil {
				return nil
			}
			continue
		}
		pauses.Reset()
		select {
		case <-watcher.Events:
		case <-watcher.Missed:
		case <-ctx.Done():
			return nil
		}
	}
}

// deliverParcels sends all that is spooled.
func deliverParcels(ctx context.Context, home shipdir.Dir, helm *wire.Conn) error {
	var at usage.Delivered
	if err := shipdir.ReadJSON(home.Delivered(), &at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		at = usage.Delivered{} // all is sent again, and helm ignores what it has
	}
	for {
		p, to, err := telemetry.ReadSpool(home.Telemetry(), at)
		if err != nil || len(p.Lines) == 0 {
			return err
		}
		if err := helm.Call(ctx, proto.MethodTelemetry, proto.Telemetry{Parcel: p, Now: time.Now()}, nil); err != nil {
			return err
		}
		at = to
		if err := errors.Join(shipdir.WriteJSON(home.Delivered(), at), telemetry.ForgetDelivered(home.Telemetry(), at)); err != nil {
			return err
		}
	}
}
