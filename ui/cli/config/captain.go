package config

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet"
)

// CaptainName is the name of the file that configures the sessions of a repository.
const CaptainName = "captain.yaml"

// longestCaptain is the limit of that file's size, in bytes: parsing hostile YAML takes time that grows with the
// square of its size.
const longestCaptain = 16 << 10

// CaptainSettings lists everything that a captain.yaml may hold. Keys keep the names that they had at first.
func CaptainSettings() []Setting {
	all := []Setting{
		{"project.name", "", Text, "", "begins the names of sessions"},
		{"project.baseBranch", "", Text, "", "branch, tag or commit where sessions begin; without it the repository's own branch"},
		{"provider", "", Text, "", "where ships come from; counts with --config alone"},
		{"agent", "", Text, "", "the program that codes; counts with --config alone"},
		{"model", "", Text, "", "model that agents are asked to use"},
		{"max_cost", "", Sum, "", "US dollars that agents may cost; without --config it counts where it is less than your own"},
		{"verify", "", Shell, "", "shell command that must succeed on the branch when all is done; it runs on a ship"},
		{"approve", "", Approval, "", "plan: you are asked before workers begin with what an epic was broken down into"},
		{"bring", "", Pattern, "", "files of the checkout that git ignores and ships get, by patterns as in .gitignore; without --config you are asked each time"},
		{"planners.count", "", Count, "1", "how many planners"},
		{"workers.count", "", Count, "3", "how many workers"},
		{"workers.maxNestedDepth", "", Few, strconv.Itoa(fleet.MaxNestedDepth), "how many levels of subtasks there may be below the tasks of an epic"},
		{"validators.count", "", Few, "1", "how many review work before it is merged; 0, which merges without review, counts with --config alone"},
		{"validators.maxQueue", "", Count, strconv.Itoa(fleet.MaxQueue), "how much work may wait for review before workers begin nothing new"},
	}
	for _, role := range roles {
		all = append(all,
			Setting{role + ".agent", "", Text, "", "the program that codes, for this role"},
			Setting{role + ".model", "", Text, "", "model that the agent of this role is asked to use"},
			Setting{role + ".maxTurns", "", Count, strconv.Itoa(fleet.UsualTurns[role]), "how many answers of its model an agent of this role may take for a task"})
	}
	return append(all,
		Setting{"redis.url", "", URL, "", "address of a Redis where other hubs may share the tasks; counts with --config alone"},
		Setting{"redis.lease", "", Duration, "10m", "how long a hub that shares the tasks may be silent before others get its ships' tasks; 0 for any time"},
		Setting{"beads.enabled", "", Switch, "true", "tasks are issues of Beads, or are none, whatever the repository has"},
		Setting{"beads.mode", "", BeadsMode, "auto", "how tasks become issues of Beads: auto, cli, jsonl or off"},
		Setting{"beads.syncOnComplete", "", Switch, "true", "issues are written whenever tasks are completed; without it, when all are"},
		Setting{"chunkhound.enabled", "", Switch, "true", "agents are given tools that find code, by the names of ChunkHound"},
		Setting{"chunkhound.persistDiscoveries", "", Switch, "true", "what validators find out is kept in docs/discoveries, where those tools find it"})
}

// roles are the roles that may have an agent of their own.
var roles = []string{fleet.Planner, fleet.Worker, fleet.Validator}

// Captain is the content of a captain.yaml. A nil Captain sets nothing.
type Captain struct {
	Path   string
	Named  bool // the captain named the file; otherwise it came with a repository, which may be somebody else's
	values map[string]found
	parsed map[string]any
	vain   []string // keys whose values have no effect unless the captain names the file
	bad    Error
}

// ReadCaptain reads a captain.yaml. Load reports what is wrong with it. A file that the captain did not name may be missing.
func ReadCaptain(path string, named bool) *Captain {
	c := &Captain{Path: path, Named: named, parsed: map[string]any{}}
	r := fileReader{path: path, bad: &c.bad, known: CaptainSettings(), values: map[string]found{}}
	if err := r.read(longestCaptain, !named); err != nil && (named || !errors.Is(err, fs.ErrNotExist)) {
		c.bad.add("%v", err)
	}
	c.values = r.values
	for _, set := range r.known {
		v, ok := c.values[set.Key]
		if !ok {
			continue
		}
		name := v.from + ": " + set.Key
		if set.Kind != Shell && strings.Contains(v.value, "${") {
			c.bad.add("%s has a ${…} in it, and variables are not filled in; write the value itself", name)
			continue
		}
		switch value, ok := set.parse(v.value, name, &c.bad); {
		case !ok:
		case !named && set.Key == "validators.count" && value == 0: // no validator would review the agents' work
			c.vain = append(c.vain, set.Key)
		default:
			c.parsed[set.Key] = value
		}
	}
	return c
}

// Text returns the value of a key, as it would be typed, and its file and line; "" when the file does not set the
// key.
func (c *Captain) Text(key string) (text, from string) {
	if c == nil {
		return "", ""
	}
	if _, ok := c.parsed[key]; !ok {
		return "", ""
	}
	v := c.values[key]
	return v.value, v.from
}

// Int returns the number that the file sets for a key, or otherwise.
func (c *Captain) Int(key string, otherwise int) int {
	if c != nil {
		if n, ok := c.parsed[key].(int); ok {
			return n
		}
	}
	return otherwise
}

// Duration returns the duration that the file sets for a key, or otherwise.
func (c *Captain) Duration(key string, otherwise time.Duration) time.Duration {
	if c != nil {
		if d, ok := c.parsed[key].(time.Duration); ok {
			return d
		}
	}
	return otherwise
}

// List returns the list that the file sets for a key, nil when it sets none.
func (c *Captain) List(key string) []string {
	if c == nil {
		return nil
	}
	all, _ := c.parsed[key].([]string)
	return all
}

// Says returns the switch that the file sets for a key, or otherwise when it sets none.
func (c *Captain) Says(key string, otherwise bool) bool {
	if c != nil {
		if yes, ok := c.parsed[key].(bool); ok {
			return yes
		}
	}
	return otherwise
}

// counts reports whether the file's value takes effect for a setting that costs money. own is the content of
// config.yaml; the file's bring adds to it.
func (c *Captain) counts(key string, own map[string]found) bool {
	_, said := own[key]
	return c.Named && key != "bring" || key == "model" && !said || key == "max_cost" && c.costsLess(own[key].value)
}

// costsLess reports whether the file sets a lower limit of cost than config.yaml does: 0 and "" mean no limit.
func (c *Captain) costsLess(own string) bool {
	mine, _ := c.parsed["max_cost"].(float64)
	most, _ := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(own), "$"), 64)
	return mine > 0 && (most == 0 || mine < most)
}

// takeCaptain reads the settings of roles from captain.yaml, and records what has no effect there. own is the content
// of config.yaml.
func (c *Config) takeCaptain(s Sources, own map[string]found, bad *Error) {
	if s.Captain == nil {
		return
	}
	bad.Problems = append(bad.Problems, s.Captain.bad.Problems...)
	c.roles = map[string]fleet.RoleSpec{}
	costs := slices.Clone(s.Captain.vain)
	for _, set := range CaptainSettings() {
		text, from := s.Captain.Text(set.Key)
		section, name, nested := strings.Cut(set.Key, ".")
		if !nested {
			name = section
		}
		role := c.roles[section]
		switch decides := slices.Contains([]string{"provider", "agent", "model", "max_cost", "url"}, name); {
		case from == "":
		case decides && !s.Captain.counts(name, own):
			costs = append(costs, set.Key)
		case nested && name == "agent":
			if _, err := c.FindAgent(text); err != nil {
				bad.add("%s: %s: %v", from, set.Key, err)
			}
			role.Agent, role.Custom = text, c.CustomAgent(text)
		case name == "model" && nested && s.Flags["model"] == "" && c.env["OCAPTAIN_MODEL"].value == "":
			role.Model = text
		case name == "maxTurns":
			role.MaxTurns = s.Captain.Int(set.Key, 0)
		}
		if role != (fleet.RoleSpec{}) {
			c.roles[section] = role
		}
	}
	c.ignore(s.Captain, Named, costs)
}

// ignore records the keys of a captain.yaml that have no effect.
func (c *Config) ignore(file *Captain, where Where, keys []string) {
	if len(keys) > 0 {
		c.ignored = append(c.ignored, Ignored{strings.Join(keys, ", "), file.Path, "", where})
	}
}

// Roles returns the settings of ships that differ by role.
func (c Config) Roles() map[string]fleet.RoleSpec { return c.roles }
