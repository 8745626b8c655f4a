// Package faults sails whole voyages into random trouble, and has an independent reader judge the result. A voyage is drawn from a
// seed: its plan, the place of its ships, the faults, and their times. To extend it, add a fault to the table of its file, a shape of
// plan to shapes, or a place to places.
package faults

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/program/programtest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

var (
	voyages = flag.Int("faults.voyages", 0, "sail so many voyages with random seeds, in place of the fixed ones")
	seed    = flag.Uint64("faults.seed", 0, "the first seed; alone, sail this one voyage")
	only    = flag.String("faults.only", "", "strike with the faults of this name or pattern only")
	at      = flag.String("faults.place", "", "have all ships at this place")
	workers = flag.Int("faults.workers", 6, "sail so many voyages at a time")
)

// scratch is the directory of this run.
var scratch string

// builds builds two programs that differ in their version, with clocks that jump.
var builds = sync.OnceValues(func() (made [2]string, err error) {
	flags, err := jumpingClocks(scratch)
	if err != nil {
		return made, err
	}
	for i, version := range []string{"1.0.0", "1.0.1"} {
		made[i] = filepath.Join(scratch, version, "ocaptain")
		if err := programtest.Build(made[i], "-X main.version="+version, flags...); err != nil {
			return made, err
		}
	}
	return made, nil
})

// carrier is the argument with which this binary carries the connections out of a sprite.
const carrier = "carrier-for-test"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == carrier {
		fmt.Fprintln(os.Stderr, spritestest.Carry())
		os.Exit(1)
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ocaptain-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	defer privatetest.Runtime()()
	scratch = dir
	return m.Run()
}
