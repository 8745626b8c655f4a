// Package config finds out what the captain has configured. A flag wins over the
// environment, that over captain.yaml, that over config.yaml, that over the default. Two .env files add
// to the environment and never override it; that of the present directory, which may
// be somebody else's, has no say in what runs, what it costs and where secrets go.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/ui/term/predict"
)

// Config is what holds for one command.
type Config struct {
	Provider string        `koanf:"provider"`
	Ships    int           `koanf:"default_ships"` // 0 when not set
	Agent    string        `koanf:"agent"`
	Model    string        `koanf:"model"`
	Reclaim  time.Duration `koanf:"reclaim"`  // 0 for never
	MaxAge   time.Duration `koanf:"max_age"`  // 0 for never
	MaxCost  float64       `koanf:"max_cost"` // US dollars, 0 for any sum
	MaxRate  float64       `koanf:"max_rate"` // US dollars an hour, 0 for any sum

	MaxCostStop bool `koanf:"max_cost_stop"` // agents are interrupted at MaxCost
	// IdleWarning is how long a ship that costs rests before the captain is told, 0 for never.
	IdleWarning time.Duration      `koanf:"idle_warning"`
	Sink        string             `koanf:"sink"`  // never, or Verified
	Base        string             `koanf:"base"`  // here, or Newest
	Sync        string             `koanf:"sync"`  // git, or fleet.SyncLive
	Price       map[string]float64 `koanf:"price"` // of an hour of a ship, in US dollars, by provider
	Theme       string             `koanf:"theme"` // auto, or the name of a theme
	Bell        bool               `koanf:"bell"`
	Notify      []string           `koanf:"notify"`        // command that tells the captain what needs him, nil for none
	Hosts       []string           `koanf:"hosts"`         // machines that the captain owns, as hosts.Parse reads them
	Tag         string             `koanf:"tailscale_tag"` // of ships on the tailnet, "" for the usual one
	Local       struct {
		Bind   []string `koanf:"bind"`   // what ships on this machine see besides, by real names
		Expose []int    `koanf:"expose"` // ports of this machine that ships on it reach

		Processes int   `koanf:"processes"` // that a ship may have
		Memory    int64 `koanf:"memory"`    // bytes that a ship may have, 0 for the usual share
		Disk      int64 `koanf:"disk"`      // bytes that a ship may use, 0 for the usual share
		Nested    bool  `koanf:"nested"`    // programs on a ship may make walls of their own
	} `koanf:"local"`
	Disk struct {
		Keep int64 `koanf:"keep"` // bytes that sunk voyages may have, 0 for any number
	} `koanf:"disk"`
	Guard struct {
		Steering string `koanf:"steering"` // flag, ask or deny
	} `koanf:"guard"`
	Attach struct {
		Predict predict.Mode `koanf:"predict"`
	} `koanf:"attach"`
	PoolCheck  time.Duration `koanf:"-"` // how often workers of a pool are looked at, 0 for never
	Repository struct {
		MaxShips int `koanf:"max_ships"` // that a repository's captain.yaml may ask for
	} `koanf:"repository"`

	Bring      []string `koanf:"bring"`       // patterns of files that git ignores and ships get
	BringSize  int64    `koanf:"bring_size"`  // bytes that these may have together
	BringFiles int      `koanf:"bring_files"` // how many there may be

	Search bool `koanf:"search"` // agents of plans and pools are given tools that find code

	Embeddings       string `koanf:"embeddings"`        // service that code is sent to, so that it is found by what it means; "off" for none
	EmbeddingsTokens int    `koanf:"embeddings_tokens"` // that the ships of a voyage may cost there

	ClaudeTools  agent.Tools        `koanf:"-"` // which of its own Claude Code has
	Conversation agent.Conversation `koanf:"-"` // what one conversation of Claude Code is about

	Telemetry struct {
		Send    bool   `koanf:"send"`    // agents tell helm what they use and do
		Content bool   `koanf:"content"` // with the texts of prompts and what tools are given
		Keep    int64  `koanf:"keep"`    // bytes of data for each voyage
		Forward string `koanf:"forward"` // endpoint of a collector, "" for none
	} `koanf:"telemetry"`

	from    map[string]string // key → where its value comes from
	texts   map[string]string // key → its value, as it was given
	env     map[string]found
	ignored []Ignored
	agents  map[string]agent.Custom // the captain's own, by name
	pools   map[string]Pool         // by name
	roles   map[string]fleet.RoleSpec

	versions map[string]string // of agents that ocaptain knows, by name
}

// found is a variable and where it comes from.
type found struct{ value, from string }

// Sources says where to look.
type Sources struct {
	Dir     string            // directory of config.yaml and the first .env
	Cwd     string            // directory of the second .env
	Environ []string          // as os.Environ returns it
	Flags   map[string]string // by key, the flags that were given
	Captain *Captain          // between config.yaml and the environment, nil for none
}

// Load reads all sources. Its error is an *Error with everything that is wrong.
func Load(s Sources) (Config, error) {
	for _, key := range slices.Sorted(maps.Keys(s.Flags)) {
		if _, ok := settings(Settings()).find(key); !ok {
			return Config{}, fmt.Errorf("no setting is called %s", key)
		}
	}
	var bad Error
	inFile := readFile(filepath.Join(s.Dir, "config.yaml"), &bad)
	env, ignored := environment(s, inFile.agents, &bad)
	c := Config{from: map[string]string{}, texts: map[string]string{}, env: env, ignored: ignored, agents: inFile.agents, versions: inFile.versions, ClaudeTools: inFile.tools, Conversation: cmp.Or(inFile.conversation, agent.PerGroup), pools: inFile.pools, PoolCheck: inFile.check}
	c.takeCaptain(s, inFile.values, &bad)

	k := koanf.New(".")
	for _, set := range Settings() {
		use := func(text, where, name string) {
			if v, ok := set.parse(text, name, &bad); ok {
				_ = k.Set(set.Key, v) // fails only for a function of a merge that is not used
				c.from[set.Key], c.texts[set.Key] = where, text
			}
		}
		if set.Default != "" {
			use(set.Default, "default", set.Key)
		}
		if v, ok := inFile.values[set.Key]; ok {
			use(v.value, v.from, v.from+": "+set.Key)
		}
		if text, from := s.Captain.Text(set.Key); from != "" && s.Captain.counts(set.Key, inFile.values) {
			use(text, from, from+": "+set.Key)
		}
		if v := env[set.Env]; v.value != "" {
			use(v.value, v.from+" "+set.Env, v.from+" "+set.Env+": "+set.Key)
		}
		if v, ok := s.Flags[set.Key]; ok {
			use(v, "flag", "--"+FlagOf(set.Key))
		}
	}
	if err := k.Unmarshal("", &c); err != nil {
		return Config{}, err
	}
	if len(bad.Problems) > 0 {
		return c, &bad
	}
	return c, nil
}

// Text returns the value of a setting as it was given, "" when it has none.
func (c Config) Text(key string) string { return c.texts[key] }

// SourceOf tells where the value of a setting comes from: default, flag, a file and
// line, or an environment variable; "" when it has none.
func (c Config) SourceOf(key string) string { return c.from[key] }

// Variable returns a variable of the environment or of a .env file, and where it was found.
func (c Config) Variable(name string) (value, from string) {
	v := c.env[name]
	return v.value, v.from
}

// Ignored lists the variables that were found in a .env file where they do not count, and are
// not set where they would.
func (c Config) Ignored() []Ignored { return c.ignored }

// Error is everything that is wrong with the configuration.
type Error struct{ Problems []string }

func (e *Error) Error() string {
	told := e.Problems
	if more := len(told) - maxProblems; more > 0 {
		told = append(slices.Clone(told[:maxProblems]), fmt.Sprintf("and %d more", more))
	}
	return "configuration: " + strings.Join(told, "\n")
}

// maxProblems is how many are told at once.
const maxProblems = 100

func (e *Error) add(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}
