package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider/registry"
)

// write makes a directory with the given files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDefaults(t *testing.T) {
	c, err := Load(Sources{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if c.Provider != "local" || c.Agent != "claude" || c.Ships != 0 || c.Model != "" || c.Reclaim != 0 {
		t.Errorf("got %+v", c)
	}
	if c.SourceOf("provider") != "default" || c.SourceOf("model") != "" {
		t.Errorf("provider from %q, model from %q", c.SourceOf("provider"), c.SourceOf("model"))
	}
}

func TestOrder(t *testing.T) {
	dir := write(t, map[string]string{
		"config.yaml": "provider: a\ndefault_ships: 1\nagent: a\nmodel: a\nreclaim: 30m\nsprites:\n  org: acme\n",
		".env":        "OCAPTAIN_AGENT=b\nGH_TOKEN=first\nOCAPTAIN_MODEL=b\n",
	})
	cwd := write(t, map[string]string{".env": "OCAPTAIN_AGENT=no\nGH_TOKEN=second\nCLAUDE_CODE_OAUTH_TOKEN='x y'\nPATH=/evil\n"})
	c, err := Load(Sources{
		Dir: dir, Cwd: cwd,
		Environ: []string{"OCAPTAIN_MODEL=c", "OCAPTAIN_DEFAULT_SHIPS=4", "OCAPTAIN_PROVIDER=c", "HOME=/root"},
		Flags:   map[string]string{"provider": "d"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Provider != "d" || c.Agent != "b" || c.Model != "c" || c.Ships != 4 || c.Reclaim != 30*time.Minute || c.Text("sprites.org") != "acme" {
		t.Errorf("got %+v", c)
	}
	for key, want := range map[string]string{
		"provider": "flag", "model": "environment OCAPTAIN_MODEL", "agent": filepath.Join(dir, ".env") + " OCAPTAIN_AGENT",
		"reclaim": filepath.Join(dir, "config.yaml") + ":5",
	} {
		if got := c.SourceOf(key); got != want {
			t.Errorf("%s from %q, want %q", key, got, want)
		}
	}
	if v, from := c.Variable("GH_TOKEN"); v != "first" || from != filepath.Join(dir, ".env") {
		t.Errorf("GH_TOKEN %q from %q", v, from)
	}
	if v, _ := c.Variable("CLAUDE_CODE_OAUTH_TOKEN"); v != "x y" {
		t.Errorf("token %q", v)
	}
	for _, name := range []string{"PATH", "HOME"} {
		if v, _ := c.Variable(name); v != "" {
			t.Errorf("%s was taken: %q", name, v)
		}
	}
}

func TestGuards(t *testing.T) {
	c, err := Load(Sources{Dir: t.TempDir()})
	if err != nil || c.MaxAge != 0 || c.IdleWarning != 30*time.Minute || c.Sink != "never" || len(c.Price) != 0 {
		t.Errorf("by default %+v, %v", c, err)
	}
	dir := write(t, map[string]string{"config.yaml": "max_age: 8h\nsink: verified\nidle_warning: 0\nprice: {sprites: 0.10, hosts: 1}\n"})
	c, err = Load(Sources{Dir: dir, Environ: []string{"OCAPTAIN_MAX_AGE=12h"}, Flags: map[string]string{"sink": "never"}})
	if err != nil || c.MaxAge != 12*time.Hour || c.Sink != "never" || c.IdleWarning != 0 || len(c.Price) != 2 || c.Price["sprites"] != 0.1 || c.Price["hosts"] != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestHosts(t *testing.T) {
	dir := write(t, map[string]string{"config.yaml": "hosts: [ada@10.0.0.5:2222, build1*4, \"[::1]:22\"]\n"})
	c, err := Load(Sources{Dir: dir})
	if err != nil || strings.Join(c.Hosts, " ") != "ada@10.0.0.5:2222 build1*4 [::1]:22" {
		t.Errorf("%q, %v", c.Hosts, err)
	}
}

func TestNotify(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for yaml, want := range map[string][]string{
		"agent: script\n":                                    nil,
		"notify: [tell]\n":                                   {"tell"},
		"notify: [~/bin/tell, ~/x, \"5\"]\n":                 {"/home/ada/bin/tell", "~/x", "5"},
		"notify:\n  - sh\n  - -c\n  - |\n    one\n    two\n": {"sh", "-c", "one\ntwo"},
	} {
		c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": yaml})})
		if err != nil || !slices.Equal(c.Notify, want) {
			t.Errorf("%q gives %q, %v", yaml, c.Notify, err)
		}
	}
}

// The path of each bind is resolved to one without links.
func TestBind(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{".tools/bin", "other"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(home, "other"), filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"config.yaml": "local:\n  bind: [~/.tools, " + home + "/link]\n"})
	c, err := Load(Sources{Dir: dir})
	if got := strings.Join(c.Local.Bind, " "); err != nil || got != home+"/.tools "+home+"/other" {
		t.Errorf("%q, %v", got, err)
	}
}

// An empty variable in the environment is no value, but overrides a value from files.
func TestEmptyVariable(t *testing.T) {
	dir := write(t, map[string]string{".env": "GH_TOKEN=x\nOCAPTAIN_AGENT=x\n", "config.yaml": "agent: script\n"})
	c, err := Load(Sources{Dir: dir, Environ: []string{"GH_TOKEN=", "OCAPTAIN_AGENT="}})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := c.Variable("GH_TOKEN"); v != "" || c.Agent != "script" {
		t.Errorf("GH_TOKEN %q, agent %q", v, c.Agent)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, yaml, dotenv, env string
		want                    []string
	}{
		{name: "unknown key", yaml: "provider: local\n\ndefault_ship: 3\n", want: []string{"config.yaml:3: no setting is called default_ship; did you mean default_ships?"}},
		{name: "unknown nested key", yaml: "sprites:\n  orgs: x\n", want: []string{"config.yaml:2: no setting is called sprites.orgs; did you mean sprites.org?"}},
		{name: "nothing like it", yaml: "telemetry_enabled: true\n", want: []string{"there are: provider, default_ships"}},
		{name: "number as text", yaml: "default_ships: \"3\"\n", want: []string{"config.yaml:1: default_ships is \"3\", but must be a number; write for example 3"}},
		{name: "text as number", yaml: "# note\nmodel: 5\n", want: []string{"config.yaml:2: model is 5, but must be a text"}},
		{name: "truth as text", yaml: "agent: true\n", want: []string{"config.yaml:1: agent is true, but must be a text; write for example claude"}},
		{name: "list", yaml: "agent: [a, b]\n", want: []string{"config.yaml:1: agent is a list, but must be a text"}},
		{name: "command as text", yaml: "agent: script\nnotify: tell me\n", want: []string{"config.yaml:2: notify must be a list of texts, for example [my-notifier, --urgent]; put quotes around numbers and words like true"}},
		{name: "command of numbers", yaml: "notify: [tell, 5]\n", want: []string{"config.yaml:1: notify must be a list of texts, for example [my-notifier, --urgent]; put"}},
		{name: "empty command", yaml: "notify: []\n", want: []string{"config.yaml:1: notify must be a list of texts"}},
		{name: "no command", yaml: "notify:\n", want: []string{"config.yaml:1: notify must be a list of texts"}},
		{name: "command without a program", yaml: "notify: [\"\", x]\n", want: []string{"config.yaml:1: notify must begin with a program"}},
		{name: "zero byte in a command", yaml: "notify: [tell, \"a\\0b\"]\n", want: []string{"config.yaml:1: notify must begin with a program, and cannot hold zero bytes"}},
		{name: "no value", yaml: "agent:\n", want: []string{"config.yaml:1: agent has no value"}},
		{name: "section as text", yaml: "sprites: acme\n", want: []string{"config.yaml:1: sprites must hold lines like: org: NAME"}},
		{name: "file as list", yaml: "- a\n", want: []string{"config.yaml:1: the file must hold lines like: provider: local"}},
		{name: "out of range", yaml: "default_ships: 0\n", want: []string{`config.yaml:1: default_ships is "0"; it must be a whole number from 1 to 1000`}},
		{name: "duration", yaml: "reclaim: soon\n", want: []string{`config.yaml:1: reclaim is "soon"; it must be a duration`}},
		{name: "age", yaml: "max_age: -8h\n", want: []string{`config.yaml:1: max_age is "-8h"; it must be a duration like 30m or 2h, or 0 for never`}},
		{name: "age without unit", yaml: "max_age: 8\n", want: []string{"config.yaml:1: max_age is 8, but must be a duration; write for example 30m"}},
		{name: "idle", env: "OCAPTAIN_IDLE_WARNING=soon", want: []string{`environment OCAPTAIN_IDLE_WARNING: idle_warning is "soon"; it must be a duration`}},
		{name: "sink", yaml: "sink: always\n", want: []string{`config.yaml:1: sink is "always"; it must be never, or verified`}},
		{name: "sink as truth", yaml: "sink: true\n", want: []string{"config.yaml:1: sink is true, but must be a word; write for example never"}},
		{name: "price", yaml: "price:\n  sprites: cheap\n  hosts: -1\n  local: 0\n", want: []string{"config.yaml:2: price.sprites is cheap, but must be a price; write for example 0.10", `config.yaml:3: price.hosts is "-1"; it must be a price in US dollars an hour, above 0`, `price.local is "0"`}},
		{name: "no such price", yaml: "price:\n  sprite: 0.1\n", want: []string{"config.yaml:2: no setting is called price.sprite; did you mean price.sprites?"}},
		{name: "one price", yaml: "price: 0.1\n", want: []string{"config.yaml:1: price must hold lines like: ", ": 0.10; it is a single value"}},
		{name: "endless price", yaml: "price:\n  local: .inf\n", want: []string{"config.yaml:2: price.local"}},
		{name: "ports", yaml: "local:\n  expose:\n    - 5432\n    - 0\n    - 65536\n    - \"80\"\n    - ssh\n    - 5432\n", want: []string{`config.yaml:4: port "0" must be the number of a TCP port, from 1 to 65535`, `config.yaml:5: port "65536" must be`, `config.yaml:6: port "80" must be`, `config.yaml:7: port "ssh" must be`, `config.yaml:8: port "5432" is there twice`}},
		{name: "bounds", yaml: "local:\n  processes: 10\n  memory: 8\n", want: []string{"config.yaml:2: local.processes is \"10\"; it must be a whole number from 200 to", "config.yaml:3: local.memory is 8, but must be a size; write for example 8GB"}},
		{name: "disk of ships", yaml: "local: {disk: 10%}\n", want: []string{`config.yaml:1: local.disk is "10%"; it must be a size like 8GB`}},
		{name: "walls of ships", yaml: "local: {nested: maybe}\n", want: []string{"config.yaml:1: local.nested is \"maybe\"; it must be on or off"}},
		{name: "little memory", yaml: "local: {memory: 500MB}\n", want: []string{"local.memory is \"500MB\"; it must be 512MB or more"}},
		{name: "a port", yaml: "local: {expose: 5432}\n", want: []string{"config.yaml:1: local.expose must be a list; write for example [5432]"}},
		{name: "no ports", yaml: "local: {expose: []}\n", want: []string{"config.yaml:1: local.expose names no port; name one, for example [5432], or remove the line"}},
		{name: "hosts as text", yaml: "hosts: build1\n", want: []string{"config.yaml:1: hosts must be a list; write for example [user@host]"}},
		{name: "no hosts", yaml: "hosts: []\n", want: []string{"config.yaml:1: hosts names no host; name one, for example [user@host], or remove the line"}},
		{name: "tag", yaml: "tailscale_tag: ocaptain\n", want: []string{`config.yaml:1: tailscale_tag is "ocaptain"; it must be a tag of your tailnet's policy, like tag:`}},
		{name: "a bad host", yaml: "hosts:\n  - build1\n  - ada@\n  - 7\n  - build1*2\n", want: []string{`config.yaml:3: host "ada@" must be like user@host`, `config.yaml:4: host "7" must be a text`, `config.yaml:5: host "build1*2" is there twice`}},
		{name: "bad paths", yaml: "local:\n  bind:\n    - tools\n    - /nowhere/at/all\n    - /\n    - /proc/self\n    - /dev/null\n    - /usr\n    - /usr\n", want: []string{
			`config.yaml:3: path "tools" is not absolute; begin it with / or ~/`, `config.yaml:4: path "/nowhere/at/all" cannot be shown`, `config.yaml:5: path "/" holds your home directory`,
			`config.yaml:6: path "/proc/self" belongs to the kernel`, `config.yaml:7: path "/dev/null" is neither a directory nor a file`, `config.yaml:9: path "/usr" is there twice`,
		}},
		{name: "not yaml", yaml: "agent: a\n  b: [\n", want: []string{"config.yaml:", "is not YAML"}},
		{name: "twice", yaml: "agent: a\nagent: b\n", want: []string{"config.yaml:2:"}},
		{name: "two documents", yaml: "agent: a\n---\nagent: b\n", want: []string{"more than one document"}},
		{name: "variable", env: "OCAPTAIN_DEFAULT_SHIPS=many", want: []string{`environment OCAPTAIN_DEFAULT_SHIPS: default_ships is "many"`}},
		{name: "dotenv", dotenv: "A=1\n!!sk-ant-secret\n", want: []string{".env:2: cannot be read"}},
		{name: "all at once", yaml: "a_b_c: 1\nagent: 2\n", env: "OCAPTAIN_RECLAIM=x", want: []string{":1: no setting", ":2: agent is 2", "reclaim is"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"config.yaml": tt.yaml, ".env": tt.dotenv})
			_, err := Load(Sources{Dir: dir, Environ: []string{tt.env}})
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
}

func TestFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "config.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Sources{Dir: dir}); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("got %v", err)
	}
}

// Every setting has a text for the template, and every setting and variable a name of its own.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Settings() {
		if s.Help == "" || seen[s.Key] || s.Env != "" && seen[s.Env] {
			t.Errorf("%s", s.Key)
		}
		seen[s.Key], seen[s.Env] = true, true
		if s.Default != "" {
			if _, err := s.parseValue(s.Default); err != nil {
				t.Errorf("default of %s %v", s.Key, err)
			}
		}
	}
	for _, v := range Variables() {
		if seen[v.Name] {
			t.Errorf("%s", v.Name)
		}
		seen[v.Name] = true
	}
}

// Every setting sets a field of Config, but for those of providers, which Text returns.
func TestFields(t *testing.T) {
	there := map[string]bool{}
	var walk func(of reflect.Type, section string)
	walk = func(of reflect.Type, section string) {
		for f := range of.Fields() {
			key := section + f.Tag.Get("koanf")
			if there[key] = true; f.Type.Kind() == reflect.Struct {
				walk(f.Type, key+".")
			}
		}
	}
	walk(reflect.TypeFor[Config](), "")
	for _, d := range registry.All() {
		there["price."+d.Name] = there["price"]
		for _, own := range d.Settings {
			there[d.Name+"."+own.Key] = true
		}
	}
	for _, s := range Settings() {
		if !there[s.Key] {
			t.Errorf("Config of config.go has no field for %s: add one with the tag `koanf:%q`", s.Key, s.Key[strings.LastIndex(s.Key, ".")+1:])
		}
	}
}
