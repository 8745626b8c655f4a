// Package config reads the captain's configuration. A flag overrides the environment, the environment overrides
// captain.yaml, captain.yaml overrides config.yaml, and config.yaml overrides the default. Two .env files add to the
// environment and never override it; the one in the working directory, which may be somebody else's, cannot set what
// runs, what it costs or where secrets go.
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

// Config is the configuration of one command.
type Config struct {
	Provider string        `koanf:"provider"`
	Ships    int           `koanf:"default_ships"` // 0 when not set
	Agent    string        `koanf:"agent"`
	Model    string        `koanf:"model"`
	Reclaim  time.Duration `koanf:"reclaim"`  // 0 for never
	MaxAge   time.Duration `koanf:"max_age"`  // 0 for never
	MaxCost  float64       `koanf:"max_cost"` // US dollars, 0 for any sum
	MaxRate  float64       `koanf:"max_rate"` // US dollars an hour, 0 for any sum

	MaxCostStop bool `koanf:"max_cost_stop"` // helm interrupts agents when MaxCost is reached
	// IdleWarning is how long a ship that costs money may be idle before the captain is told, 0 for never.
	IdleWarning time.Duration      `koanf:"idle_warning"`
	Sink        string             `koanf:"sink"`  // never, or Verified
	Base        string             `koanf:"base"`  // here, or Newest
	Sync        string             `koanf:"sync"`  // git, or fleet.SyncLive
	Price       map[string]float64 `koanf:"price"` // of a ship for an hour, in US dollars, by provider
	Theme       string             `koanf:"theme"` // auto, or the name of a theme
	Bell        bool               `koanf:"bell"`
	Notify      []string           `koanf:"notify"`        // command that notifies the captain of needs, nil for none
	Hosts       []string           `koanf:"hosts"`         // machines that the captain owns, as hosts.Parse reads them
	Tag         string             `koanf:"tailscale_tag"` // of ships on the tailnet, "" for the default
	Local       struct {
		Bind   []string `koanf:"bind"`   // paths that ships on this machine see in addition, without links
		Expose []int    `koanf:"expose"` // ports of this machine that its ships can reach

		Processes int   `koanf:"processes"` // limit for a ship
		Memory    int64 `koanf:"memory"`    // limit for a ship in bytes, 0 for the default share
		Disk      int64 `koanf:"disk"`      // limit for a ship in bytes, 0 for the default share
		Nested    bool  `koanf:"nested"`    // programs on a ship may make sandboxes of their own
	} `koanf:"local"`
	Disk struct {
		Keep int64 `koanf:"keep"` // limit of all sunk voyages together in bytes, 0 for none
	} `koanf:"disk"`
	Guard struct {
		Steering string `koanf:"steering"` // flag, ask or deny
	} `koanf:"guard"`
	Attach struct {
		Predict predict.Mode `koanf:"predict"`
	} `koanf:"attach"`
	PoolCheck  time.Duration `koanf:"-"` // how often helm checks the workers of a pool, 0 for never
	Repository struct {
		MaxShips int `koanf:"max_ships"` // the most that a repository's captain.yaml may ask for
	} `koanf:"repository"`

	Bring      []string `koanf:"bring"`       // patterns of git-ignored files that ships get
	BringSize  int64    `koanf:"bring_size"`  // limit of these files together in bytes
	BringFiles int      `koanf:"bring_files"` // limit of their number

	Search bool `koanf:"search"` // agents of plans and pools get tools that search code

	Embeddings       string `koanf:"embeddings"`        // service that gets code to make it searchable by meaning; "off" for none
	EmbeddingsTokens int    `koanf:"embeddings_tokens"` // limit for the ships of a voyage together

	ClaudeTools  agent.Tools        `koanf:"-"` // which of its own tools Claude Code has
	Conversation agent.Conversation `koanf:"-"` // what one conversation of Claude Code covers

	Telemetry struct {
		Send    bool   `koanf:"send"`    // agents report to helm what they use and do
		Content bool   `koanf:"content"` // the reports include the texts of prompts and the input of tools
		Keep    int64  `koanf:"keep"`    // limit of the data of each voyage in bytes
		Forward string `koanf:"forward"` // endpoint of a collector, "" for none
	} `koanf:"telemetry"`

	from    map[string]string // key → where its value comes from
	texts   map[string]string // key → its value, as text
	env     map[string]found
	ignored []Ignored
	agents  map[string]agent.Custom // the captain's own, by name
	pools   map[string]Pool         // by name
	roles   map[string]fleet.RoleSpec

	versions map[string]string // of agents that ocaptain knows, by name
}

// found is a variable and where it comes from.
type found struct{ value, from string }

// Sources says where Load looks.
type Sources struct {
	Dir     string            // directory of config.yaml and of the first .env
	Cwd     string            // directory of the second .env
	Environ []string          // as os.Environ returns it
	Flags   map[string]string // flags that were given, by key
	Captain *Captain          // captain.yaml, which ranks between config.yaml and the environment, nil for none
}

// Load reads all sources. Its error is an *Error that lists everything wrong.
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
				_ = k.Set(set.Key, v) // fails only for a merge function, which is not used
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

// Text returns the value of a setting as text, "" when it has none.
func (c Config) Text(key string) string { return c.texts[key] }

// SourceOf says where the value of a setting comes from: default, flag, a file and line, or an environment variable;
// "" when it has none.
func (c Config) SourceOf(key string) string { return c.from[key] }

// Variable returns a variable of the environment or of a .env file, and where it was found.
func (c Config) Variable(name string) (value, from string) {
	v := c.env[name]
	return v.value, v.from
}

// Ignored lists the variables that are in a .env file in which they have no effect, and that are not set anywhere
// else.
func (c Config) Ignored() []Ignored { return c.ignored }

// Error lists everything that is wrong with the configuration.
type Error struct{ Problems []string }

func (e *Error) Error() string {
	told := e.Problems
	if more := len(told) - maxProblems; more > 0 {
		told = append(slices.Clone(told[:maxProblems]), fmt.Sprintf("and %d more", more))
	}
	return "configuration: " + strings.Join(told, "\n")
}

// maxProblems is how many problems are reported at once.
const maxProblems = 100

func (e *Error) add(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}
