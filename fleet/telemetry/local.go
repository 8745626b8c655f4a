package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/process"
	"ocaptain/sync/whole"
)

// Process is the process that receives data from other programs on this machine.
type Process struct {
	process.ID
	Addresses []string  `json:"addresses"` // host:port of each listener, for both HTTP and gRPC
	Since     time.Time `json:"since"`
}

// LocalAddresses are the default ports of OTLP for gRPC and for HTTP. Each accepts both.
var LocalAddresses = []string{"127.0.0.1:4317", "127.0.0.1:4318"}

// LocalDir returns the directory of the store for other programs, in ocaptain's state directory.
func LocalDir(state string) string { return filepath.Join(state, "telemetry", usage.Local) }

func processFile(dir string) string { return filepath.Join(dir, "process.json") }

// FindProcess returns the process that receives data into a directory, nil when there is none.
func FindProcess(dir string) (*Process, error) {
	data, err := os.ReadFile(processFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p Process
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", processFile(dir), err)
	}
	if !p.Alive() {
		return nil, nil
	}
	return &p, nil
}

// RunLocal receives data from other programs on this machine into a directory, until ctx ends.
func RunLocal(ctx context.Context, dir string, keep int64, addresses []string) (err error) {
	listeners, err := listenLoopback(ctx, addresses)
	if err != nil {
		return err
	}
	defer func() {
		for _, l := range listeners {
			l.Close()
		}
	}()
	store, err := Open(dir, keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	self := Process{ID: process.Identify(os.Getpid()), Since: time.Now()}
	for _, l := range listeners {
		self.Addresses = append(self.Addresses, l.Addr().String())
	}
	data, err := json.Marshal(self)
	if err != nil {
		return err
	}
	if err := whole.Write(processFile(dir), data, 0o600); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(processFile(dir))) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := NewReceiver(store, usage.Source{Voyage: usage.Local})
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() {
			ended <- Serve(ctx, l, r)
			cancel()
		}()
	}
	for range listeners {
		err = errors.Join(err, <-ended)
	}
	return err
}

// listenLoopback listens on addresses, which must be loopback addresses.
func listenLoopback(ctx context.Context, addresses []string) (listeners []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
		}
	}()
	for _, a := range addresses {
		host, _, err := net.SplitHostPort(a)
		if err != nil {
			return listeners, fmt.Errorf("address %q: %w", a, err)
		}
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			return listeners, fmt.Errorf("address %q is not of this machine alone: use 127.0.0.1 or [::1]", a)
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", a)
		if err != nil {
			return listeners, err
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}
