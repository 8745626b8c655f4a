package reader

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Status is what "ocaptain status --json" prints, as far as the reader cares.
type Status struct {
	Helm  int  `json:"helm"`
	Stale bool `json:"stale"`
	Phase string
	Ships []struct {
		Name   string
		Status struct{ Word, Reason string }
	}
	Tasks []struct{ ID, Status, Owner string }
}

// Truth is what the reader knows when it compares.
type Truth struct {
	Completed []string          // tasks whose completion was knowable before the status was asked for, by more than the grace
	Ever      []string          // tasks that are completed now, after the answer
	Dead      map[string]string // what is known to have died longer ago than the grace: "helm" or a ship, and what it was
}

// Grace is how long a status may say what is no longer so.
const Grace = 2 * time.Second

// Lies lists what a status says that is not so.
func (t Truth) Lies(raw []byte) (lies []string) {
	var s Status
	if err := json.Unmarshal(raw, &s); err != nil {
		return []string{fmt.Sprintf("status is no JSON: %.80q", raw)}
	}
	if s.Stale {
		return nil // it says so itself
	}
	says := map[string]string{}
	for _, task := range s.Tasks {
		says[task.ID] = task.Status
		if task.Status == "completed" && !slices.Contains(t.Ever, task.ID) {
			lies = append(lies, fmt.Sprintf("task %s is completed, and the journal does not know it", task.ID))
		}
	}
	for _, id := range t.Completed {
		if says[id] != "completed" {
			lies = append(lies, fmt.Sprintf("task %s is %q, and was completed", id, says[id]))
		}
	}
	if was := t.Dead["helm"]; was != "" && was == fmt.Sprint(s.Helm) {
		lies = append(lies, "helm is process "+was+", which is dead")
	}
	for _, ship := range s.Ships {
		word := ship.Status.Word
		if t.Dead[ship.Name] != "" && (word == "working" || word == "idle" || word == "waiting" || word == "done") {
			lies = append(lies, fmt.Sprintf("%s is %s, and nothing of it runs", ship.Name, word))
		}
	}
	return lies
}

// Alive tells whether a process is there and has not ended.
func Alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
