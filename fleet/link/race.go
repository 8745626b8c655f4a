package link

import (
	"context"
	"errors"
	"net"
	"time"
)

// Way dials a machine in one way.
type Way func(context.Context) (net.Conn, error)

// Race tries one way, and the other too if the first fails or takes longer than the head start. It returns the first connection and closes the
// second. second says that the connection is the other way's.
func Race(ctx context.Context, start time.Duration, one, other Way) (conn net.Conn, second bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		conn   net.Conn
		second bool
		err    error
	}
	results := make(chan result, 2)
	try := func(second bool, dial Way) {
		go func() {
			conn, err := dial(ctx)
			results <- result{conn, second, err}
		}()
	}
	try(false, one)
	timer := time.NewTimer(start)
	defer timer.Stop()
	running, both := 1, false
	var failed []error
	for {
		var got result
		select {
		case got = <-results:
			running--
		case <-timer.C:
		}
		if got.conn != nil && got.err == nil {
			go func() {
				defer cancel()
				if running == 0 {
					return
				}
				cancel()
				if late := <-results; late.err == nil {
					late.conn.Close()
				}
			}()
			return got.conn, got.second, nil
		}
		if got.err != nil {
			failed = append(failed, got.err)
		}
		if !both {
			both = true
			running++
			try(true, other)
		} else if running == 0 {
			cancel()
			return nil, false, errors.Join(failed...)
		}
	}
}
