//go:build linux

package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// meter measures the cost of a test binary.
type meter struct {
	begun     time.Time
	end, done chan struct{}
	cost      slottest.Cost
}

func newMeter() *meter {
	m := &meter{begun: time.Now(), end: make(chan struct{}), done: make(chan struct{})}
	go m.follow(os.Getpid() == 1)
	return m
}

// follow counts the processes started in the namespace, and samples the load.
func (m *meter) follow(namespace bool) {
	defer close(m.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := eventually.Started()
	for end := false; !end; {
		select {
		case <-tick.C:
		case <-m.end:
			end = true
		}
		now := eventually.Started()
		if namespace {
			m.cost.Processes += eventually.Between(last, now)
		}
		last = now
		m.cost.Load = max(m.cost.Load, load())
	}
}

// load returns the load of this machine in the last minute.
func load() (n float64) {
	raw, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, _ = fmt.Sscan(string(raw), &n)
	}
	return n
}

// write adds the cost to the file of costs. left is how many processes ran on when the binary ended.
func (m *meter) write(left int) error {
	close(m.end)
	<-m.done
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return err
	}
	m.cost.Seconds, m.cost.Left = time.Since(m.begun).Seconds(), left
	m.cost.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
	return m.cost.Write()
}
