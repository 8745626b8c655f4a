package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/watch"
)

// stream sends the records of the journal, from an offset on, in batches. It sends a batch once the one before was
// acknowledged, and continues as the journal grows.
func (s *server) stream(ctx context.Context, from int64) error {
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(filepath.Dir(s.home.Journal())); err != nil {
		return fmt.Errorf("follow the journal: %w", err)
	}
	const every = 5 * time.Second // look at the journal at this interval too, in case a notice gets lost
	glance := time.NewTicker(every)
	defer glance.Stop()
	var err error
	for {
		if from, err = s.sendBatches(ctx, from); err != nil {
			if ctx.Err() != nil || wire.Gone(err) {
				return nil
			}
			return err
		}
		for grown := false; !grown; {
			select {
			case e := <-watcher.Events:
				grown = e.Name == s.home.Journal()
			case <-watcher.Missed:
				grown = true
			case <-glance.C:
				grown = true
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// sendBatches sends the records from an offset on and returns the offset where they end.
func (s *server) sendBatches(ctx context.Context, from int64) (int64, error) {
	for {
		events, next, err := s.book.Batch(from)
		if err != nil || (len(events) == 0 && next == from) {
			return from, err
		}
		if len(events) > 0 {
			if err := s.helm.Call(ctx, proto.MethodEvents, proto.Events{Events: events, Now: time.Now()}, nil); err != nil {
				return from, err
			}
		}
		from = next
	}
}
