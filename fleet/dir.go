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

// Voyage is the file that a Voyage is kept in.
func (d Dir) Voyage() string { return d.join("voyage.json") }

// FleetFile is the file that a Fleet is kept in.
func (d Dir) FleetFile() string { return d.join("fleet.json") }

// Events is the journal, the truth for claims and completions.
func (d Dir) Events() string { return d.join("events.jsonl") }

// BoardFile is the file that a Board is kept in.
func (d Dir) BoardFile() string { return d.join("snapshot.json") }

// UsageFile is where helm keeps what the ships' agents have used.
func (d Dir) UsageFile() string { return d.join("usage.json") }

// Telemetry is the directory of what the ships' agents measured of themselves.
func (d Dir) Telemetry() string { return d.join("telemetry") }

// Embeddings is where helm counts what the voyage's code has cost at a service of embeddings.
func (d Dir) Embeddings() string { return d.join("embeddings.json") }

// Bd is the directory that bd is run in.
func (d Dir) Bd() string { return d.join("bd") }

// Issues is the file of issues as helm wrote it last.
func (d Dir) Issues() string { return d.join("issues.jsonl") }

// Told is where helm keeps of what it has told the captain by his own command.
func (d Dir) Told() string { return d.join("told.json") }

// Prompt is the file with what helm tells every agent about its work, except agents of a role with a file
// of its own.
func (d Dir) Prompt() string { return d.join("prompt.md") }

// RolePrompt is what agents of a role are told in place of that, where it is there.
func (d Dir) RolePrompt(role string) string { return d.join(role + ".md") }

// Workspace is a git clone with the voyage's branch checked out.
func (d Dir) Workspace() string { return d.join("workspace") }

// Artifacts is the directory of the plan's other files.
func (d Dir) Artifacts() string { return d.join("artifacts") }

// SpecFile is the plan's specification.
func (d Dir) SpecFile() string { return d.join("artifacts", "spec.md") }

// VerifyFile is the plan's verify.sh.
func (d Dir) VerifyFile() string { return d.join("artifacts", "verify.sh") }

// Plan is the file with the tasks into which one is to be broken down.
func (d Dir) Plan(task string) string { return d.join("artifacts", "plan-"+task+".json") }

// LogsDir is the directory of the ships' logs.
func (d Dir) LogsDir() string { return d.join("logs") }

// Secrets holds what the ships' agents need to log in: 0600, removed at sink.
func (d Dir) Secrets() string { return d.join("secrets.json") }

// SecretsCopy is the copy from which Secrets is mended.
func (d Dir) SecretsCopy() string { return d.join("secrets.copy.json") }

// Admission holds what opens the session in Redis: 0600, removed at sink. It is not there where no other hub shares the tasks.
func (d Dir) Admission() string { return d.join("redis.json") }

// Bring holds the files that git ignores and that ships get, as an archive: 0600, removed at sink.
func (d Dir) Bring() string { return d.join("bring.tar") }

// StatusLog is the file of how the workers of a pool stood, a line each every so often.
func (d Dir) StatusLog() string { return d.join("status.log") }

// TasksDir is the task directory, where Claude Code would look for the list.
func (d Dir) TasksDir() string { return d.join(".claude", "tasks", d.ID()+"-tasks") }

// LogFile is the log of one ship.
func (d Dir) LogFile(ship string) string { return d.join("logs", ship+".jsonl") }

// Leftover is a patch with what a replaced ship had changed and never merged.
func (d Dir) Leftover(ship string) string { return d.join("leftovers", ship+".patch") }

// MailDir is the directory of the captain's messages to one ship that have not arrived.
func (d Dir) MailDir(ship string) string { return d.join("mail", ship) }

func (d Dir) join(parts ...string) string {
	return filepath.Join(append([]string{string(d)}, parts...)...)
}

// Voyages is the directory that holds all voyages, ~/voyages.
type Voyages string

// Archives is the directory of the archives that helm makes of sunk voyages.
func (v Voyages) Archives() string { return filepath.Join(string(v), "archives") }

var voyageID = pattern.New(`^voyage-[0-9a-f]{12}$`)

// IsVoyageID reports whether a text is what voyages are called.
func IsVoyageID(text string) bool { return voyageID().MatchString(text) }

// List returns the voyages that are there, oldest first. A directory that is not
// there yet is empty.
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

// existsSince reports whether a voyage is there, even if some of its files are missing, and since when.
func (d Dir) existsSince() (at int64, there bool) {
	for _, path := range []string{d.Voyage(), d.Events(), d.FleetFile(), d.BoardFile()} {
		if info, err := os.Lstat(path); err == nil {
			return info.ModTime().UnixNano(), true
		}
	}
	return 0, false
}

// Find returns the voyage that name means: an id; the name of a voyage or the branch of a session, where a voyage that
// is not sunk goes first; an unambiguous beginning of an id, with or without "voyage-"; or, when name is empty, the
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

// isCalled reports whether a voyage has a name, or is a session on that branch.
func (d Dir) isCalled(name string) bool {
	v, err := LoadVoyage(d)
	return err == nil && (v.Name == name || v.Kind.TakesEpics() && v.Branch == name)
}

// afloat leaves out the voyages that are sunk, unless all are.
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

// NoVoyage says that a name means no voyage, or more than one.
type NoVoyage struct{ Text string }

func (e *NoVoyage) Error() string { return e.Text }

// joinNames lists voyages by their names, as far as these are known, and ids.
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

// maxNames bounds the voyages that an error lists.
const maxNames = 20
