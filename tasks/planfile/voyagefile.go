package planfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ocaptain/tasks"
)

const voyageFile = "voyage.json"

// maxShips and maxFixes bound what a plan may ask for.
const (
	maxShips = 1000
	maxFixes = 100
)

var voyageFields = []string{"name", "repo", "recommended_ships", "max_parallel_width", "total_tasks", "created", "verify", "bring", "sync", "artifacts"}

// numbers are the task counts that voyage.json states, nil when it does not.
type numbers struct {
	object              *object
	total, width, ships *int
}

// voyage reads voyage.json.
func (r *reader) voyage() numbers {
	var told numbers
	data, ok := r.readFile(voyageFile, maxJSON, `write one, at least {"name": "…", "repo": "owner/repo"}`)
	if !ok {
		return told
	}
	o := parse(voyageFile, data, r.report)
	if o == nil {
		return told
	}
	told.object = o
	o.misspelt(voyageFields)
	if o.decodeField("name", &r.plan.Name, "a string"); strings.ContainsFunc(r.plan.Name, unicode.IsControl) {
		o.defect(Error, "name", "has line breaks or control characters", "write it on one line")
	}
	r.readRepo(o)
	told.total = integer(o, "total_tasks", 0, maxTasks)
	told.width = integer(o, "max_parallel_width", 0, maxTasks)
	if told.ships = integer(o, "recommended_ships", 1, maxShips); told.ships != nil {
		r.plan.Ships = *told.ships
	}
	o.decodeField("created", &r.plan.Created, "a string")
	r.verifyRules(o)
	r.bring(o)
	r.sync(o)
	r.artifacts(o)
	r.plan.Extra = o.unknownFields()
	return told
}

// integer reads a whole number between least and most.
func integer(o *object, key string, least, most int) *int {
	var n float64
	if !o.decodeField(key, &n, "a number") {
		return nil
	}
	if n != float64(int(n)) || int(n) < least || int(n) > most {
		o.defect(Error, key, fmt.Sprintf("is %v", n), fmt.Sprintf("it must be a whole number from %d to %d", least, most))
		return nil
	}
	i := int(n)
	return &i
}

// readRepo reads and checks where the repository comes from.
func (r *reader) readRepo(o *object) {
	const forms = `write owner/repo, a git URL, a path that begins with ./ or /, or "none"`
	var text string
	if !o.decodeField("repo", &text, "a string") {
		if !o.hasField("repo") {
			r.plan.Repo = tasks.Repo{Kind: tasks.RepoFresh}
			o.defect(Warning, "repo", "is missing, so the voyage starts from a fresh repository", forms)
		}
		return
	}
	repo, err := tasks.ParseRepo(text)
	if err != nil {
		o.defect(Error, "repo", err.Error(), forms)
		return
	}
	r.plan.Repo = repo
	if repo.Kind != tasks.RepoPath || strings.HasPrefix(r.plan.Dir, examplePrefix) {
		return
	}
	home, _ := os.UserHomeDir()
	source := repo.Source(r.plan.Dir, home)
	if info, err := os.Stat(source); err != nil {
		o.defect(Error, "repo", fmt.Sprintf("%q %s", source, reason(err)), "name a directory with a git repository; a relative path counts from the plan")
	} else if !info.IsDir() {
		o.defect(Error, "repo", fmt.Sprintf("%q is not a directory", source), "name a directory with a git repository")
	}
}

// verifyRules reads what to do after a verification.
func (r *reader) verifyRules(o *object) {
	var rules map[string]any
	if !o.decodeField("verify", &rules, "an object") {
		return
	}
	fix, ok := rules["fix"]
	if !ok {
		return
	}
	n, ok := fix.(float64)
	if !ok || n != float64(int(n)) || n < 0 || n > maxFixes {
		o.defect(Error, "verify.fix", "is not a whole number", fmt.Sprintf("it must be a whole number from 0 to %d", maxFixes))
		return
	}
	r.plan.Fix = int(n)
}

// bring reads the patterns of git-ignored files that ships get.
func (r *reader) bring(o *object) {
	const form = `write patterns as in .gitignore, like ["/.env"]`
	if !o.decodeField("bring", &r.plan.Bring, "a list of strings") {
		return
	}
	for _, line := range r.plan.Bring {
		if strings.TrimSpace(line) == "" || strings.ContainsFunc(line, unicode.IsControl) {
			o.defect(Error, "bring", "has a pattern that is empty or has control characters", form)
			r.plan.Bring = nil
			return
		}
	}
}

// sync reads how work travels between hub and ships.
func (r *reader) sync(o *object) {
	if o.decodeField("sync", &r.plan.Sync, "a string") && r.plan.Sync != "git" && r.plan.Sync != "live" {
		o.defect(Error, "sync", "is neither git nor live", "write git, or live for one tree that all share")
		r.plan.Sync = ""
	}
}

// maxArtifacts bounds how many directories come home from a ship.
const maxArtifacts = 20

// artifacts reads the directories outside git that are copied home.
func (r *reader) artifacts(o *object) {
	var all []string
	if !o.decodeField("artifacts", &all, "a list of strings") {
		return
	}
	for _, dir := range all {
		switch {
		case !filepath.IsLocal(dir) || filepath.Clean(dir) != dir || dir == "." || dir == ".git" || strings.HasPrefix(dir, ".git/") || strings.ContainsFunc(dir, unicode.IsControl):
			o.defect(Error, "artifacts", fmt.Sprintf("%q is no directory of the repository", dir), `write paths from its top, like ["out/reports"]`)
			return
		case slices.ContainsFunc(r.plan.Artifacts, func(other string) bool {
			return dir == other || strings.HasPrefix(dir, other+"/") || strings.HasPrefix(other, dir+"/")
		}):
			o.defect(Error, "artifacts", fmt.Sprintf("%q is in another one, or has one in it", dir), "name each directory once")
			return
		}
		r.plan.Artifacts = append(r.plan.Artifacts, dir)
	}
	if len(all) > maxArtifacts {
		o.defect(Error, "artifacts", fmt.Sprintf("has %d directories", len(all)), fmt.Sprintf("there may be %d; name one above them", maxArtifacts))
	}
}
