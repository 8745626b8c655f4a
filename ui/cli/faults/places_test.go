package faults

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// place is somewhere that ships can be.
type place struct {
	often int // how often it is drawn
	open  func(v *voyage) ground
}

// ground is a place made ready for one voyage.
type ground struct {
	place string
	args  []string                 // of sail
	most  int                      // ships
	ships func() map[string]string // directories of this machine that hold all of a ship, by the ship's name
	left  func() []string          // what is still there or rented
	cloud cloud
}

var places = map[string]place{
	"local": {6, local},
}

// drawPlace draws one.
func (v *voyage) drawPlace() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(places)) {
		for range places[name].often {
			all = append(all, name)
		}
	}
	drawn := all[v.rng.IntN(len(all))]
	if *at != "" {
		return *at
	}
	return drawn
}

// local are sandboxes on the captain's own machine.
func local(v *voyage) ground {
	root := filepath.Join(v.hubState(), "ships")
	return ground{
		place: "local", most: 5,
		ships: func() map[string]string { return shipsIn(root) },
		left: func() (left []string) {
			for _, dir := range shipsIn(root) {
				left = append(left, dir)
			}
			for _, p := range processes(root) {
				left = append(left, p.command)
			}
			return left
		},
	}
}

var machine = regexp.MustCompile(`-ship(\d+)`)

// shipsIn finds the directories of ships below another.
func shipsIn(root string) map[string]string {
	all := map[string]string{}
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if found := machine.FindStringSubmatch(e.Name()); found != nil && e.IsDir() {
			all["ship-"+found[1]] = filepath.Join(root, e.Name())
		}
	}
	return all
}

// homeOf is the home within the directory of a ship.
func homeOf(dir string) string {
	if inner := filepath.Join(dir, "home"); isDir(inner) {
		return inner
	}
	return dir
}

// workspaceOf is the working tree aboard a ship, "" where there is none.
func workspaceOf(dir string) string {
	if tree := filepath.Join(homeOf(dir), "voyage", "workspace"); isDir(tree) {
		return tree
	}
	return ""
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
