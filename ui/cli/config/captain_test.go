package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
)

// theFirst is the first captain.yaml of all, for which sessions were made.
const theFirst = `# captain.yaml
project:
  name: my-project
  baseBranch: main

redis:
  url: redis://localhost:6379

planners:
  count: 1          # Usually 1 is enough

workers:
  count: 3          # Parallel workers
  maxNestedDepth: 2 # Subtask depth limit

validators:
  count: 1          # Usually 1 is enough

# Per-agent LLM configuration
planner:
  model: claude-sonnet-4-20250514
  maxTurns: 35

worker:
  model: claude-sonnet-4-20250514
  maxTurns: 50

# Integrations
beads:
  enabled: true
  syncOnComplete: true

chunkhound:
  enabled: true
  persistDiscoveries: true
`

// readCaptain reads a captain.yaml with that text.
func readCaptain(t *testing.T, text string, named bool) *Captain {
	t.Helper()
	return ReadCaptain(filepath.Join(write(t, map[string]string{CaptainName: text}), CaptainName), named)
}

// told returns what a configuration ignores.
func told(c Config) string {
	var all []string
	for _, i := range c.Ignored() {
		all = append(all, strings.Replace(i.String(), filepath.Dir(i.File)+"/", "", 1))
	}
	return strings.Join(all, "\n")
}

// TestCaptain loads the first captain.yaml unchanged.
func TestCaptain(t *testing.T) {
	file := readCaptain(t, theFirst, false)
	c, err := Load(Sources{Captain: file})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"planners.count": 1, "workers.count": 3, "workers.maxNestedDepth": 2, "validators.count": 1, "validators.maxQueue": -1} {
		if n := file.Int(key, -1); n != want {
			t.Errorf("%s is %d", key, n)
		}
	}
	for key, want := range map[string]string{"project.name": "my-project", "project.baseBranch": "main", "redis.url": "redis://localhost:6379", "verify": ""} {
		if text, from := file.Text(key); text != want || (from == "") != (want == "") {
			t.Errorf("%s is %q from %q", key, text, from)
		}
	}
	const sonnet = "claude-sonnet-4-20250514"
	if want := map[string]fleet.RoleSpec{fleet.Planner: {Model: sonnet, MaxTurns: 35}, fleet.Worker: {Model: sonnet, MaxTurns: 50}}; !maps.Equal(c.Roles(), want) || c.Model != "" {
		t.Errorf("roles are %v, the model %q", c.Roles(), c.Model)
	}
	if got := told(c); got != "redis.url in captain.yaml is ignored" {
		t.Errorf("told is %s", got)
	}
}

// shapes are values of every type, the name of the type in messages, and the kinds that take the value.
var shapes = []struct {
	yaml, found string
	fits        []Kind
}{
	{"abc", "abc", []Kind{Text, Shell}},
	{`"3"`, `"3"`, []Kind{Text, Shell, Sum}},
	{"2026-01-01", "2026-01-01", []Kind{Text, Shell}},
	{"3", "3", []Kind{Count, Few, Sum}},
	{"1.5", "1.5", []Kind{Sum}},
	{".inf", ".inf", nil},
	{"true", "true", []Kind{Switch}},
	{"|\n    line\n", "a block of text", []Kind{Shell}},
	{"[a]", "a list", []Kind{Pattern}},
	{"{a: 1}", "a mapping", nil},
	{"\n    - a", "a list", []Kind{Pattern}},
	{"!x abc", "a value with a tag", nil},
	{"!!int 3", "a value with a tag", nil},
	{"&a 3", "an anchor or alias", nil},
	{"*a", "an anchor or alias", nil},
	{"", "no value", nil},
	{"~", "no value", nil},
	{"null", "no value", nil},
	{"-1", "-1", nil},
	{"1001", "1001", []Kind{Sum}},
	{"1_0", "1_0", []Kind{Sum}},
	{"99999999999999999999", "99999999999999999999", []Kind{Text, Shell}},
	{"${HOME}", "${", []Kind{Shell}},
	{`"a\0b"`, `a\x00b`, nil},
	{`""`, `""`, nil},
	{strings.Repeat("9", 99), strings.Repeat("9", 60), []Kind{Text, Shell}},
}

// TestCaptainWrong checks that each value of a wrong type is reported with its line, its key, its type, and the type
// that it must have.
func TestCaptainWrong(t *testing.T) {
	if got := readCaptain(t, "worker: {maxTurns: 1001}\n", true).bad.Problems; len(got) != 1 || !strings.HasSuffix(got[0], `captain.yaml:1: worker.maxTurns is "1001"; it must be a whole number from 1 to 1000`) {
		t.Error(got)
	}
	for _, set := range CaptainSettings() {
		for _, shape := range shapes {
			line, text := 2, "# first line\n"+set.Key+": "+shape.yaml+"\n"
			if section, key, nested := strings.Cut(set.Key, "."); nested {
				line, text = 3, fmt.Sprintf("# first line\n%s:\n  %s: %s\n", section, key, shape.yaml)
			}
			file := readCaptain(t, text, true)
			if slices.Contains(shape.fits, set.Kind) {
				if got, _ := file.Text(set.Key); got == "" || len(file.bad.Problems) > 0 {
					t.Errorf("%q is %q: %v", text, got, file.bad.Problems)
				}
				continue
			}
			if len(file.bad.Problems) != 1 {
				t.Errorf("%q has the problems %q", text, file.bad.Problems)
				continue
			}
			is := strings.TrimPrefix(file.bad.Problems[0], file.Path)
			wants := []string{fmt.Sprintf(":%d: %s ", line, set.Key), shape.found, "must be"}
			if shape.found == "no value" || shape.found == "${" {
				wants[2] = "write" // any value that must be written differently
			}
			if set.Kind == Pattern { // whatever the value is, a list is needed
				wants[1] = ""
			}
			if set.Kind == URL && shape.found == wants[1] {
				wants[1] = "" // the value may hold a password, and is not shown
			}
			for _, want := range wants {
				if !strings.Contains(is, want) {
					t.Errorf("%q is said to be wrong with %q, which lacks %q", text, is, want)
				}
			}
			if got, from := file.Text(set.Key); got != "" || from != "" {
				t.Errorf("%q counts as %q", text, got)
			}
		}
	}
}

// TestCaptainMissing loads a file without one of its parts. All empty sections are reported at once.
func TestCaptainMissing(t *testing.T) {
	lines := strings.SplitAfter(theFirst, "\n")
	whole := readCaptain(t, theFirst, true)
	section, first := "", 0
	for i, line := range lines {
		key, _, isKey := strings.Cut(strings.TrimSpace(line), ":")
		if !isKey || strings.HasPrefix(key, "#") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			section, first = key, i
			continue
		}
		key = section + "." + key
		without := slices.Concat(lines[:i], lines[i+1:])
		alone := strings.HasPrefix(lines[i-1], section) && (i+1 == len(lines) || !strings.HasPrefix(lines[i+1], " "))
		if alone {
			without = slices.Concat(lines[:first], lines[i+1:])
		}
		file := readCaptain(t, strings.Join(without, ""), true)
		if _, from := file.Text(key); from != "" || len(file.bad.Problems) > 0 || len(file.parsed) != len(whole.parsed)-1 {
			t.Errorf("without %s: %v, %v", key, file.parsed, file.bad.Problems)
		}
	}
	all := ""
	for line := range strings.Lines(theFirst) {
		if !strings.HasPrefix(line, " ") {
			all += line
		}
	}
	file := readCaptain(t, all, true)
	for _, want := range []string{
		":2: project must hold lines like: name: NAME; it is empty", "redis must hold lines like: url: redis://localhost:6379", "planners must hold lines like: count: 1",
		"workers must hold lines like: count: 3", "validators must hold lines like: count: 1", "planner must hold lines like: agent: claude",
		"worker must hold lines like: agent", "beads must hold lines like: enabled: true", "chunkhound must hold lines like: enabled: true",
	} {
		if !strings.Contains(file.bad.Error(), want) {
			t.Errorf("%v\nlacks %s", &file.bad, want)
		}
	}
	for _, empty := range []string{"", "\n", "# only this\n", "---\n", "{}\n"} {
		if file := readCaptain(t, empty, true); len(file.parsed) > 0 || len(file.bad.Problems) > 0 {
			t.Errorf("%q: %v, %v", empty, file.parsed, file.bad.Problems)
		}
	}
}

// TestCaptainBad checks that all other mistakes are reported at once, with the nearest known key.
func TestCaptainBad(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for text, wants := range map[string][]string{
		"project: [":                {"captain.yaml:1: is not YAML"},
		"\x00\x01":                  {"captain.yaml"},
		"[a]\n":                     {"captain.yaml:1: the file must hold lines like: project: {name: NAME}; it is a list"},
		"model: a\n---\nmodel: b\n": {"captain.yaml:3: has more than one document; remove the lines with ---"},
		"model: a\nmodel: b\n":      {"captain.yaml:2: model is there twice; remove one"},
		"workers: {count: 1}\nworkers: {count: 2}\n":  {"captain.yaml:2: workers is there twice; remove one"},
		"workers:\n  count: 1\n  count: 2\n":          {"captain.yaml:3: workers.count is there twice; remove one"},
		"worker:\n  max_turns: 5\n":                   {"captain.yaml:2: no setting is called worker.max_turns; did you mean worker.maxTurns?"},
		"bring: [a, 3]\n":                             {`captain.yaml:1: pattern "3" must be a text; put it in quotes`},
		"bring: [*.pem]\n":                            {`captain.yaml:1`},
		"bring: [\"a\\nb\"]\n":                        {"must be a pattern as in .gitignore, in one line"},
		"bring: [a, a]\n":                             {`pattern "a" is there twice`},
		"planer:\n  count: 5\n":                       {"captain.yaml:1: no setting is called planer; did you mean planner?"},
		"workers:\n  maxDepth: 5\n":                   {"no setting is called workers.maxDepth; there are: workers.count, workers.maxNestedDepth"},
		"coordinator: {}\n":                           {"no setting is called coordinator; there are: project, provider, agent, "},
		"workers: 5\n":                                {"captain.yaml:1: workers must hold lines like: count: 3; it is a single value"},
		"approve: all\n":                              {`captain.yaml:1: approve is "all"; it must be plan`},
		"worker: {agent: cobol}\n":                    {`captain.yaml:1: worker.agent: agent "cobol" is not known: choose one of`},
		"<<: *x\n":                                    {"no setting is called <<"},
		bomb:                                          {"captain.yaml:1: no setting is called a", "captain.yaml:9: no setting is called i"},
		strings.Repeat("[", longestCaptain):           {"is not YAML"},
		"# " + strings.Repeat("x", 10<<20):            {"is larger than 16384 bytes"},
		"redis: {url: \"redis://u:hunter2@h\"}\n":     {"captain.yaml:1: redis.url must not hold a password"},
		"redis: {url: \"http://u:hunter2@h\"}\n":      {"redis.url must be an address like redis://localhost:6379"},
		"redis: {url: \"redis://:hunter2@\"}\n":       {"redis.url must be an address like"},
		"redis: redis://u:hunter2@h\n":                {"captain.yaml:1: redis must hold lines like"},
		"model: 1\nworkers: {count: x}\nfoo: 1\n":     {":1: model is 1", ":2: workers.count is x", ":3: no setting is called foo"},
		"workers: {count: 0}\nplanners: {count: 0}\n": {`workers.count is "0"; it must be a whole number from 1 to 1000`, `planners.count is "0"`},
	} {
		_, err := Load(Sources{Captain: readCaptain(t, text, true)})
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%.99q: %v", text, err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%.99q: %.999v\nlacks %s", text, err, want)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a secret is told: %v", err)
		}
	}
}

// TestCaptainThatIsNone refuses paths that are not files. Only the default file may be missing.
func TestCaptainThatIsNone(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(write(t, map[string]string{"x": "model: small\n"}), "x")
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, make := range map[string]func(string) error{
		"none":      func(string) error { return nil },
		"directory": func(f string) error { return os.Mkdir(f, 0o755) },
		"zero":      func(f string) error { return os.Symlink("/dev/zero", f) },
		"pipe":      func(f string) error { return syscall.Mkfifo(f, 0o600) },
		"outside":   func(f string) error { return os.Symlink(outside, f) },
		"nowhere":   func(f string) error { return os.Symlink(f+"-none", f) },
		"circle":    func(f string) error { return os.Symlink(f, f) },
	} {
		if err := make(at(name)); err != nil {
			t.Fatal(err)
		}
		for _, named := range []bool{false, true} {
			_, err := Load(Sources{Captain: ReadCaptain(at(name), named)})
			if isFine := name == "none" && !named || name == "outside" && named; (err == nil) != isFine || !isFine && !strings.Contains(err.Error(), at(name)) {
				t.Errorf("%s, named %v: %v", name, named, err)
			}
		}
	}
}

// TestCaptainOrder: captain.yaml overrides config.yaml, and the environment and flags override captain.yaml.
func TestCaptainOrder(t *testing.T) {
	const text = "provider: b\nagent: script\nmodel: b\nworker: {model: w}\n"
	for _, tt := range []struct {
		name, own string
		named     bool
		env       []string
		flags     map[string]string
		want      string // provider, agent and model, and the workers' model
		ignored   string
	}{
		{name: "alone", named: true, want: "b script b w"},
		{name: "over config.yaml", named: true, own: "provider: a\nagent: a\nmodel: a\n", want: "b script b w"},
		{name: "environment", named: true, env: []string{"OCAPTAIN_PROVIDER=c", "OCAPTAIN_AGENT=codex", "OCAPTAIN_MODEL=c"}, want: "c codex c c"},
		{name: "flags", named: true, env: []string{"OCAPTAIN_MODEL=c"}, flags: map[string]string{"model": "d", "provider": "d"}, want: "d script d d"},
		{name: "of a repository", want: "local claude b w", ignored: "provider, agent in captain.yaml are ignored"},
		{name: "of a repository, where a model is configured", own: "model: a\nagent: a\n", want: "local a a a", ignored: "provider, agent, model, worker.model in captain.yaml are ignored"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": tt.own}), Environ: tt.env, Flags: tt.flags, Captain: readCaptain(t, text, tt.named)})
			v := fleet.Voyage{AgentChoice: fleet.AgentChoice{Model: c.Model}, SessionSpec: fleet.SessionSpec{Roles: c.Roles()}}
			if got := strings.Join([]string{c.Provider, c.Agent, c.Model, v.ModelFor(fleet.Worker)}, " "); err != nil || got != tt.want || told(c) != tt.ignored {
				t.Errorf("got %s, %v; told %q", got, err, told(c))
			}
		})
	}
}

// TestCaptainWithoutReview: work is merged without review only when the captain's own file says so.
func TestCaptainWithoutReview(t *testing.T) {
	for _, named := range []bool{false, true} {
		for _, count := range []int{0, 2} {
			file := readCaptain(t, fmt.Sprintf("validators: {count: %d}\n", count), named)
			c, err := Load(Sources{Captain: file})
			want, ignored := count, ""
			if !named && count == 0 {
				want, ignored = -1, "validators.count in captain.yaml is ignored"
			}
			if n := file.Int("validators.count", -1); err != nil || n != want || told(c) != ignored {
				t.Errorf("%d, named %v: %d, %v; told %q", count, named, n, err, told(c))
			}
		}
	}
}

// TestCaptainTemplate writes a file that changes nothing, and that still loads when every line of it is active.
func TestCaptainTemplate(t *testing.T) {
	for _, name := range []string{"kite", "a: b # {c}", "3", "", "日本", "-", "true", "x\"y'"} {
		text := string(CaptainTemplate(name, "main"))
		file := readCaptain(t, text, false)
		c, err := Load(Sources{Captain: file})
		if got, _ := file.Text("project.name"); err != nil || got != name || told(c) != "" {
			t.Errorf("%q: %q, %v, %s\n%s", name, got, err, told(c), text)
		}
	}
	var used strings.Builder
	for line := range strings.Lines(string(CaptainTemplate("", ""))) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.Contains(line, ":") && !strings.Contains(line, "ocaptain") {
			line = rest
		}
		used.WriteString(line)
	}
	file := readCaptain(t, used.String(), true)
	for _, set := range CaptainSettings() {
		if text, from := file.Text(set.Key); from == "" || set.Default != "" && text != set.Default {
			t.Errorf("%s is %q: %v", set.Key, text, file.bad.Problems)
		}
	}
}

// FuzzCaptain: no input makes the reader panic or exceed the limits.
func FuzzCaptain(f *testing.F) {
	f.Add([]byte(theFirst))
	f.Add(CaptainTemplate("kite", "main"))
	f.Add([]byte("a: &a [*a]\n<<: *a\n? [x]\n: y\nworkers: !!int {count: |\n  3}\n"))
	file := filepath.Join(f.TempDir(), CaptainName)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		c := ReadCaptain(file, true)
		for _, set := range CaptainSettings() {
			if n := c.Int(set.Key, 1); n < 0 || n > MostShips {
				t.Errorf("%s is %d", set.Key, n)
			}
		}
		_, err := Load(Sources{Captain: c})
		if bad := (*Error)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("%v", err)
		}
	})
}
