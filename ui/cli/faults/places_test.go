package faults

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// place is a place for ships.
type place struct {
	often int // weight with which it is drawn
	open  func(v *voyage) ground
}

// ground is a place that is ready for one voyage.
type ground struct {
	place string
	args  []string                              // arguments of sail
	agent string                                // agent that works aboard; "" for the script agent
	most  int                                   // limit of the number of ships
	ships func(voyage string) map[string]string // directories of this machine that hold everything of a ship, by the ship's name
	left  func() []string                       // lists what still exists or is still rented

	links   []*proxy // proxies on the way to ships
	disks   []string // directories of this machine in which ships are made
	hosts   []*hoststest.Host
	sprites *spritestest.Fake
	exedev  *exedevtest.Fake
}

var places = map[string]place{
	"local":   {6, local},
	"claude":  {1, claude},
	"hosts":   {2, hosts},
	"sprites": {2, sprites},
	"exedev":  {2, exedev},
}

// drawPlace draws a place, unless a flag or the case of the seed names it.
func (v *voyage) drawPlace(seed uint64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(places)) {
		for range places[name].often {
			all = append(all, name)
		}
	}
	drawn := all[v.rng.IntN(len(all))]
	return cmp.Or(*at, caseOf(seed).place, drawn)
}

// local makes sandboxes on the captain's own machine.
func local(v *voyage) ground {
	root := filepath.Join(v.hubState(), "ships")
	return ground{
		place: "local", most: 5, disks: []string{root},
		ships: func(voyage string) map[string]string { return v.shipsIn(root, voyage) },
		left: func() (left []string) {
			for _, dir := range v.shipsIn(root, "") {
				left = append(left, dir)
			}
			for _, p := range processes(root) {
				left = append(left, p.command)
			}
			return left
		},
	}
}

// claude makes sandboxes with the real Claude Code, for which a stand-in answers in place of a model.
func claude(v *voyage) ground {
	api := claudetest.Start(v, loopback.Worker)
	claudetest.Binary(v)
	cache, err := os.UserCacheDir() // the program in the cache is large
	if err != nil {
		v.Fatal(err)
	}
	v.env = append(v.env, "ANTHROPIC_API_KEY=sk-ant-api03-only-for-tests-0123456789", "ANTHROPIC_BASE_URL="+api.URL, "XDG_CACHE_HOME="+cache)
	at, err := url.Parse(api.URL)
	if err != nil {
		v.Fatal(err)
	}
	v.write(".config/ocaptain/config.yaml", "local:\n  expose: ["+at.Port()+"]\n")
	v.crew = crews[0] // the stand-in neither plans nor reviews
	g := local(v)
	g.place, g.agent, g.most = "claude", "claude", 2
	return g
}

var machine = regexp.MustCompile(`^(voyage-[0-9a-f]{12})-ship(\d+)`)

// ships returns the directories of the voyage's ships, by name.
func (v *voyage) ships() map[string]string { return v.ground.ships(v.id) }

// shipOf returns the name of the ship on a machine; voyage "" stands for any voyage.
func (v *voyage) shipOf(name, voyage string) (ship string, ok bool) {
	found := machine.FindStringSubmatch(name)
	if found == nil || voyage != "" && found[1] != voyage {
		return "", false
	}
	number, err := strconv.Atoi(found[2])
	return v.crew.name(number), err == nil
}

// shipsIn finds the directories of a voyage's ships below root.
func (v *voyage) shipsIn(root, voyage string) map[string]string {
	all := map[string]string{}
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if ship, ok := v.shipOf(e.Name(), voyage); ok && e.IsDir() {
			all[ship] = filepath.Join(root, e.Name())
		}
	}
	return all
}

// homeOf returns the home in the directory of a ship.
func homeOf(dir string) string {
	if inner := filepath.Join(dir, "home"); isDir(inner) {
		return inner
	}
	return dir
}

// workspaceOf returns the working tree aboard a ship, "" when there is none.
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
