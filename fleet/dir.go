package fleet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/tasks/pattern"
)

// Dir is the directory of one voyage on the hub, ~/voyages/<id>. Helm alone
// writes in it, except for workspace, which the captain may edit at any time.
type Dir string

// ID is the voyage's id, the last element of the path.
func (d Dir) ID() string { return filepath.Base(string(d)) }

// Command returns what the captain types for something on this voyage. It works as it stands, whatever other voyages there are.
func (d Dir) Command(format string, args ...any) string {
	return fmt.Sprintf("ocaptain "+format, args...) + " --voyage " + d.ID()
}

// Voyage returns the path of voyage.json, which holds a Voyage.
func (d Dir) Voyage() string { return d.join("voyage.json") }

// FleetFile returns the path of fleet.json, which holds a Fleet.
func (d Dir) FleetFile() string { return d.join("fleet.json") }

// Events returns the path of the journal, which decides about claims and completions.
func (d Dir) Events() string { return d.join("events.jsonl") }

// BoardFile returns the path of snapshot.json, which holds a Board.
func (d Dir) BoardFile() string { return d.join("snapshot.json") }

// UsageFile returns the path of the file in which helm keeps what the ships' agents have used.
func (d Dir) UsageFile() string { return d.join("usage.json") }

// Telemetry returns the directory for measurements that the ships' agents send.
func (d Dir) Telemetry() string { return d.join("telemetry") }

// Embeddings returns the path of the file in which helm counts what the voyage has spent at a service of embeddings.
func (d Dir) Embeddings() string { return d.join("embeddings.json") }

// Bd returns the directory in which helm runs bd.
func (d Dir) Bd() string { return d.join("bd") }

// Issues returns the path of helm's copy of the file of issues as it wrote it last.
func (d Dir) Issues() string { return d.join("issues.jsonl") }

// Told returns the path of the file in which helm records what it has told the captain with his notification command.
func (d Dir) Told() string { return d.join("told.json") }

// Prompt returns the path of the file with the prompt of all agents, except those of a role that has a RolePrompt.
func (d Dir) Prompt() string { return d.join("prompt.md") }

// RolePrompt returns the path of the prompt for agents of a role. If the file is missing, they get Prompt.
func (d Dir) RolePrompt(role string) string { return d.join(role + ".md") }

// Workspace returns the directory of the hub's git clone, with the voyage's branch checked out.
func (d Dir) Workspace() string { return d.join("workspace") }

// Artifacts returns the directory of the plan's other files.
func (d Dir) Artifacts() string { return d.join("artifacts") }

// SpecFile returns the path of the plan's specification.
func (d Dir) SpecFile() string { return d.join("artifacts", "spec.md") }

// VerifyFile returns the path of the plan's verify.sh.
func (d Dir) VerifyFile() string { return d.join("artifacts", "verify.sh") }

// Plan returns the path of the file with the tasks into which a planner breaks down a task.
func (d Dir) Plan(task string) string { return d.join("artifacts", "plan-"+task+".json") }

// LogsDir returns the directory of the ships' logs.
func (d Dir) LogsDir() string { return d.join("logs") }

// Secrets returns the path of the file with the secrets by which the ships' agents log in: mode 0600, removed when
// the voyage is sunk.
func (d Dir) Secrets() string { return d.join("secrets.json") }

// SecretsCopy returns the path of the copy from which Secrets is repaired.
func (d Dir) SecretsCopy() string { return d.join("secrets.copy.json") }

// Admission returns the path of the file with the secrets of the session in Redis: mode 0600, removed when the voyage is sunk.
// It exists only if other hubs share the tasks.
func (d Dir) Admission() string { return d.join("redis.json") }

// Bring returns the path of the archive of git-ignored files that ships get: mode 0600, removed when the voyage is
// sunk.
func (d Dir) Bring() string { return d.join("bring.tar") }

// StatusLog returns the path of the file in which helm logs the status of a pool's workers at intervals, a line each.
func (d Dir) StatusLog() string { return d.join("status.log") }

// TasksDir returns the task directory, in the place where Claude Code would look for it.
func (d Dir) TasksDir() string { return d.join(".claude", "tasks", d.ID()+"-tasks") }

// LogFile returns the path of one ship's log.
func (d Dir) LogFile(ship string) string { return d.join("logs", ship+".jsonl") }

// Leftover returns the path of a patch with the unmerged changes of a ship that was replaced.
func (d Dir) Leftover(ship string) string { return d.join("leftovers", ship+".patch") }

// MailDir returns the directory of the captain's messages to one ship that have not arrived yet.
func (d Dir) MailDir(ship string) string { return d.join("mail", ship) }

func (d Dir) join(parts ...string) string {
	return filepath.Join(append([]string{string(d)}, parts...)...)
}

// Voyages is the directory that holds all voyages, ~/voyages.
type Voyages string

// Archives returns the directory for archives of sunk voyages.
func (v Voyages) Archives() string { return filepath.Join(string(v), "archives") }

var voyageID = pattern.New(`^voyage-[0-9a-f]{12}$`)

// IsVoyageID reports whether a text has the form of a voyage's id.
func IsVoyageID(text string) bool { return voyageID().MatchString(text) }

// List returns all voyages, oldest first. A missing directory holds none.
func (v Voyages) List() ([]Dir, error) {
	entries, err := os.ReadDir(string(v))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type aged struct {
		Dir
		at int64
	}
	var found []aged
	for _, e := range entries {
		d := Dir(filepath.Join(string(v), e.Name()))
		if at, there := d.existsSince(); there && IsVoyageID(e.Name()) {
			found = append(found, aged{d, at})
		}
	}
	slices.SortFunc(found, func(a, b aged) int {
		if a.at != b.at {
			return int(max(-1, min(1, a.at-b.at)))
		}
		return strings.Compare(string(a.Dir), string(b.Dir))
	})
	dirs := make([]Dir, len(found))
	for i, f := range found {
		dirs[i] = f.Dir
	}
	return dirs, nil
}

// existsSince reports whether d holds a voyage, even if some of its files are missing, and when that was made, in
// Unix nanoseconds.
func (d Dir) existsSince() (at int64, there bool) {
	for _, path := range []string{d.Voyage(), d.Events(), d.FleetFile(), d.BoardFile()} {
		if info, err := os.Lstat(path); err == nil {
			return info.ModTime().UnixNano(), true
		}
	}
	return 0, false
}

// Find returns the voyage that name means: an id; the name of a voyage or the branch of a session, a voyage that is
// not sunk is preferred; an unambiguous beginning of an id, with or without "voyage-"; or, when name is empty, the
// only voyage that is not sunk.
func (v Voyages) Find(name string) (Dir, error) {
	all, err := v.List()
	if err != nil {
		return "", err
	}
	if name == "" {
		all = afloat(all)
	}
	var hits, called []Dir
	for _, d := range all {
		id := d.ID()
		if id == name {
			return d, nil
		}
		if name != "" && d.isCalled(name) {
			called = append(called, d)
		}
		if strings.HasPrefix(id, name) || strings.HasPrefix(strings.TrimPrefix(id, "voyage-"), name) {
			hits = append(hits, d)
		}
	}
	if len(called) > 0 {
		hits = afloat(called)
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(all) == 0:
		return "", &NoVoyage{Text: "there is no voyage; start one with: ocaptain sail PLAN"}
	case len(hits) == 0:
		return "", &NoVoyage{Text: fmt.Sprintf("no voyage is called %q or begins with that; there are: %s", name, joinNames(all))}
	case name == "":
		return "", &NoVoyage{Text: fmt.Sprintf("there are %d voyages, name one: %s", len(all), joinNames(all))}
	default:
		return "", &NoVoyage{Text: fmt.Sprintf("%q means more than one voyage: %s", name, joinNames(hits))}
	}
}

// isCalled reports whether a voyage has this name, or is a session on the branch of this name.
func (d Dir) isCalled(name string) bool {
	v, err := LoadVoyage(d)
	return err == nil && (v.Name == name || v.Kind.TakesEpics() && v.Branch == name)
}

// afloat returns the voyages that are not sunk, or all voyages if all are sunk.
func afloat(all []Dir) []Dir {
	var some []Dir
	for _, d := range all {
		if f, err := LoadFleet(d); err != nil || f.Phase != Sunk {
			some = append(some, d)
		}
	}
	if len(some) == 0 {
		return all
	}
	return some
}

// NoVoyage is the error of a name that means no voyage, or more than one.
type NoVoyage struct{ Text string }

func (e *NoVoyage) Error() string { return e.Text }

// joinNames lists voyages by their ids, and by their names as far as these are known.
func joinNames(dirs []Dir) string {
	names := make([]string, len(dirs))
	for i, d := range dirs {
		if names[i] = d.ID(); i < maxNames {
			if v, err := LoadVoyage(d); err == nil && v.Name != "" {
				names[i] = clean.Line(v.Name) + " (" + d.ID() + ")"
			}
		}
	}
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// maxNames bounds how many voyages an error lists.
const maxNames = 20
