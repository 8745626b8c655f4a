package provision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"ocaptain/fleet/aboard/orders"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
)

// inspectMachine finds out the machine's system and architecture.
func (w *work) inspectMachine(ctx context.Context) error {
	out, err := w.link.Run(ctx, link.Command{Argv: []string{"/bin/sh", "-c", `uname -s; uname -m; cd && pwd -P`}})
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(out.Stdout), "\n"), "\n")
	if len(lines) != 3 || !path.IsAbs(lines[2]) || len(lines[2]) > 1000 {
		return fmt.Errorf("its answer makes no sense: %.200q", out.Stdout)
	}
	arch, ok := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[lines[1]]
	if !ok {
		return fmt.Errorf("there is no ocaptain for a %.40q machine; amd64 and arm64 will do", lines[1])
	}
	w.machine = lines[1]
	w.Ship.OS, w.Ship.Arch, w.Ship.Home = strings.ToLower(lines[0]), arch, lines[2]
	return nil
}

// have is a shell script that links $2 to the program in the file $1. If a ship on this machine sees the program with the digest $3,
// $1 becomes a link to what it sees. The script fails if the ship does not have the program. An old link
// does not count: it may lead to another program by now.
const have = `
sees=${` + proto.Program + `-}
if [ "${sees%%:*}" = "$3" ] && [ -x "${sees#*:}" ]; then
	mkdir -p "${1%/*}" && ln -sfn "${sees#*:}" "$1"
else
	[ ! -L "$1" ] && [ -x "$1" ]
fi && ln -sfn "${1##*/}" "$2"`

// aboard installs ocaptain's own program on the ship, under a name with the digest of its content. It does nothing if
// the ship has it. A ship that runs an older program goes on with that until its agent is started again.
func (w *work) aboard(ctx context.Context) error {
	w.Await("the program for " + w.Ship.OS + "/" + w.Ship.Arch)
	program, digest, err := w.Program(ctx, w.Ship.OS, w.Ship.Arch)
	w.Await(w.counterpart())
	if err != nil {
		return err
	}
	name := Binary + "-" + digest
	look := link.Command{Argv: []string{"/bin/sh", "-c", have, "have", name, Binary, digest}}
	if _, err := w.link.Run(ctx, look); err == nil {
		return nil
	}
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.link.BulkLane().PutFile(ctx, name, 0o755, f, info.Size()); err != nil {
		return err
	}
	_, err = w.link.Run(ctx, look)
	return err
}

// ownSecrets returns the secrets of the ship's agent, and the secrets that belong to no agent.
func (w *work) ownSecrets() (map[string]string, error) {
	all, err := w.Voyage.Agents()
	if err != nil {
		return nil, err
	}
	for _, name := range agent.Names() { // a ship may have been added with any of them
		if a, err := agent.Lookup(name); err == nil {
			all = append(all, a)
		}
	}
	mine, err := w.Voyage.FindAgent(&w.Ship)
	if err != nil {
		return nil, err
	}
	own := maps.Clone(w.Secrets)
	for _, a := range all {
		for _, name := range slices.Concat(a.Keys, a.Pass) {
			if !slices.Contains(mine.Keys, name) && !slices.Contains(mine.Pass, name) {
				delete(own, name)
			}
		}
	}
	return own, nil
}

// orders writes the files that the ship needs: its settings, the plan, and the agent's secrets.
func (w *work) orders(ctx context.Context) error {
	conversation := w.Voyage.Conversation
	if a, err := w.Voyage.FindAgent(&w.Ship); err != nil || !a.Hooks {
		conversation = "" // the prompt of each turn says what to do
	}
	ship, err := json.MarshalIndent(proto.Ship{
		Voyage: w.Voyage.ID, Name: w.Ship.Name, Role: w.Ship.Role, Agent: w.Ship.Agent, Version: w.Ship.Release.Version,
		List: w.Voyage.TaskList, Workspace: path.Join(w.Ship.Home, "voyage", "workspace"),
		Model: w.Voyage.ModelOf(&w.Ship), Env: w.Env, Prompt: w.First, Custom: w.Voyage.CustomOf(&w.Ship), Given: w.Voyage.Kind.TakesDispatches(),
		Telemetry: !w.Voyage.Telemetry.Off, Contents: w.Voyage.Telemetry.Contents, Search: w.Voyage.Search, Tools: w.Voyage.Tools, Embeddings: w.Voyage.Embeddings.Service != "", Conversation: conversation,
	}, "", "  ")
	if err != nil {
		return err
	}
	mine, err := w.ownSecrets()
	if err != nil {
		return err
	}
	secrets, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	files := []orders.File{
		{Name: ".ocaptain/ship.json", Mode: 0o600, Content: ship},
		{Name: ".ocaptain/secrets.json", Mode: 0o600, Content: secrets},
		{Name: ".ocaptain/tmux.conf", Mode: 0o644, Content: []byte(TmuxConf)},
	}
	if w.Leftover != "" {
		raw, err := os.ReadFile(w.Leftover)
		switch {
		case err == nil:
			files = append(files, orders.File{Name: Leftover, Mode: 0o644, Content: raw})
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	read, err := w.readOrders()
	if err != nil {
		return err
	}
	files = append(files, read...)
	in, err := orders.Send(files)
	if err != nil {
		return err
	}
	if _, err := w.link.Run(ctx, link.Command{Argv: []string{path.Join(w.Ship.Home, Binary), "aboard", "orders"}, Stdin: in}); err != nil {
		return err
	}
	return w.bringArchive(ctx)
}

// readOrders reads the files with instructions for agents. A voyage without a plan has none.
func (w *work) readOrders() (all []orders.File, err error) {
	own := w.Dir.RolePrompt(w.Ship.Role)
	if _, err := w.Orders.Read(w.Dir, own); errors.Is(err, fs.ErrNotExist) {
		own = w.Dir.Prompt()
	}
	for _, f := range []struct {
		from, to string
		mode     os.FileMode
	}{
		{own, "voyage/prompt.md", 0o644},
		{w.Dir.SpecFile(), "voyage/artifacts/spec.md", 0o644},
		{w.Dir.VerifyFile(), "voyage/artifacts/verify.sh", 0o755},
	} {
		raw, err := w.Orders.Read(w.Dir, f.from)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, orders.File{Name: f.to, Mode: f.mode, Content: raw})
	}
	return all, nil
}

// cloneRepository makes the clone. In a pool it also links it under the repository's name, unless something else has
// that name.
func (w *work) cloneRepository(ctx context.Context) error {
	if err := w.Checkout(ctx, w.link, &w.Ship); err != nil {
		return err
	}
	if err := w.bringFiles(ctx); err != nil || !w.Voyage.Kind.TakesDispatches() {
		return err
	}
	const script = `cd && [ -e "$0" ] || ln -s voyage/workspace "$0"`
	_, err := w.link.Run(ctx, link.Command{Argv: []string{"/bin/sh", "-c", script, w.Voyage.Name}})
	return err
}

// installAgent makes sure that the agent is installed in a version that ocaptain accepts.
func (w *work) installAgent(ctx context.Context) error {
	a, err := w.Voyage.FindAgent(&w.Ship)
	if err != nil || len(a.Version) == 0 {
		return err
	}
	if w.usable(ctx, a) == nil {
		return nil
	}
	if err := w.install(ctx, a); err != nil {
		return fmt.Errorf("install %s: %w", a.Name, err)
	}
	return w.usable(ctx, a)
}

// install makes the ship download the agent's program, whose digest the hub knows, or runs the captain's own install
// command.
func (w *work) install(ctx context.Context, a agent.Agent) error {
	if !a.Packaged {
		w.Report("agent", Note, "installing "+a.Name, 0)
		return w.run(ctx, &w.link.Lane, link.Command{Argv: []string{"/bin/sh", "-s"}, Stdin: strings.NewReader(a.Install)})
	}
	p, err := a.Program(w.machine)
	if err != nil {
		return err
	}
	w.Report("agent", Note, "fetching "+p.String(), 0)
	order, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return w.run(ctx, &w.link.Lane, link.Command{
		Argv: []string{path.Join(w.Ship.Home, Binary), "aboard", "fetch"}, Stdin: bytes.NewReader(order),
	})
}

// usable asks the agent for its version, with the PATH of the runner.
func (w *work) usable(ctx context.Context, a agent.Agent) error {
	argv := append([]string{"/bin/sh", "-c", `PATH="$HOME/.ocaptain/bin:$PATH" exec "$@"`, "version"}, a.Version...)
	out, err := w.link.Run(ctx, link.Command{Argv: argv})
	if err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	if err := a.Check(string(out.Stdout)); err != nil {
		return err
	}
	w.Ship.Version = agent.VersionIn(string(out.Stdout))
	return nil
}

// startScript starts the runner in tmux. It fixes the size only once the window exists, and only for that window, since tmux 3.3a crashes
// when it makes a window with that option, even a window that an agent makes. The script first removes an old runner: always with "anew",
// otherwise only a dead one. It reads the configuration again in case somebody else has started the server.
//
// A pool has another session, for people: its window 0 is a shell in the clone, and its window 1 is the agent's. It is on tmux's default
// server. If that server may already be running, the script reads the configuration from standard input, since source-file takes a path
// for a pattern, and would not find it in a home like C# or a[1].
const startScript = `tmux=$1 bin=$2 anew=$3 pool=$4
cd
desk() {
	[ -n "$pool" ] || exit 0
	clone=$HOME/$pool
	pool=$(printf %s "$pool" | tr .: __) # as tmux calls it
	tmux -L "$tmux" has-session -t "=$pool-dev" 2>/dev/null ||
		tmux -L "$tmux" -u new-session -d -s "$pool-dev" -n shell -x 200 -y 50 -c "$clone" ';' \
			set-option status on ';' set-option prefix C-b ';' bind-key 0 select-window -t :0 ';' bind-key 1 select-window -t :1 ';' \
			bind-key n next-window ';' bind-key d detach-client || exit
	tmux -L "$tmux" link-window -d -k -s =ship: -t "=$pool-dev:1" 2>/dev/null
	socket=$(tmux -L "$tmux" display-message -p '#{socket_path}')
	[ -e "${socket%/*}/default" ] || ln -sf "$tmux" "${socket%/*}/default"
	exit 0
}
if tmux -L "$tmux" has-session -t =ship 2>/dev/null; then
	set -- $(tmux -L "$tmux" list-panes -s -t =ship -F '#{pane_dead} #{pane_pid}' | head -n 1)
	[ "$1$anew" = 0 ] && desk
	tmux -L "$tmux" kill-window -t =ship: # in every session that shows it
	tmux -L "$tmux" kill-session -t =ship 2>/dev/null
	for i in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 "$2" 2>/dev/null || break
		sleep 0.5
	done
fi
tmux -L "$tmux" -u -f .ocaptain/tmux.conf start-server ';' source-file - ';' new-session -d -s ship -n agent:waiting -x 200 -y 50 "$bin" aboard run ';' set-option -w window-size manual <.ocaptain/tmux.conf || exit
desk
`

// Launch starts the runner, unless it is running. pool is the name of the ship's pool, "" for none; such a ship also
// gets its session for people.
func Launch(ctx context.Context, l *link.Link, home, pool string) error {
	return start(ctx, l, home, "", pool)
}

// Relaunch starts the runner again after its agent is done.
func Relaunch(ctx context.Context, l *link.Link, home, pool string) error {
	return start(ctx, l, home, "anew", pool)
}

func start(ctx context.Context, l *link.Link, home, anew, pool string) error {
	argv := []string{"/bin/sh", "-c", startScript, "launch", Tmux, path.Join(home, Binary), anew, pool}
	_, err := l.Run(ctx, link.Command{Argv: argv})
	return err
}

func (w *work) launch(ctx context.Context) error {
	return Launch(ctx, w.link, w.Ship.Home, w.Voyage.PoolName())
}

// Tmux is the name of the ship's tmux server.
const Tmux = "ocaptain"

// TitlePrefix starts the title that a ship's tmux gives to its clients' terminals. The window's size follows, so that
// a watching client knows it, also after a change. (A client in control mode would be told too, but it can crash tmux
// 3.3a when another client detaches at the same moment, which ends every agent on it.)
const TitlePrefix = "ocaptain "

// TmuxConf makes a terminal that an agent can use fully: without a status line, without keys of tmux, and with a size
// that does not change when somebody attaches.
const TmuxConf = `set -g default-terminal "tmux-256color"
set -g status off
set -g message-style reverse
set -g prefix None
set -g prefix2 None
unbind -aq -T prefix
unbind -aq -T root
set -g default-size 200x50
set -g history-limit 50000
set -g escape-time 0
set -g focus-events on
set -g remain-on-exit on
set -g allow-rename off
set -g set-titles on
set -g set-titles-string "` + TitlePrefix + `#{window_width}x#{window_height}"
set -g automatic-rename off
set -g exit-empty on
set -g detach-on-destroy on
`
