package reader

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Status holds the output of "ocaptain status --json" that the reader needs.
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

// Answer is what status printed, and its exit code.
type Answer struct {
	Out  []byte
	Code int
}

// Read parses an answer. An error means that the answer says nothing about the present.
func (a Answer) Read() (s Status, err error) {
	if json.Unmarshal(a.Out, &s) != nil {
		return Status{}, fmt.Errorf("it is no JSON, with exit code %d: %.200q", a.Code, a.Out)
	}
	if s.Stale {
		return s, fmt.Errorf("it is stale, with exit code %d", a.Code)
	}
	if a.Code != 0 {
		return s, fmt.Errorf("its exit code is %d", a.Code)
	}
	return s, nil
}

// Truth is what the reader knows for certain when it compares.
type Truth struct {
	Answers   bool            // no fault explains why status should not answer
	Completed []string        // tasks whose completion could be known before status was run, by more than the grace
	Ever      []string        // tasks that are completed now, after the answer
	Dead      map[string]bool // ships, and helms by their HelmName, that died longer ago than the grace
}

// HelmName returns the name of a helm with a process id.
func HelmName(pid int) string { return fmt.Sprint("helm ", pid) }

// NoAnswer is the lie of a status that says nothing about the present.
const NoAnswer = "it does not tell how the voyage stands"

// Lies lists the false statements of an answer. A lie has the same text as long as it lasts.
func (t Truth) Lies(a Answer) (lies []string) {
	s, err := a.Read()
	if err != nil {
		if t.Answers {
			return []string{NoAnswer}
		}
		return nil // status admits that it does not know
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
			lies = append(lies, fmt.Sprintf("task %s is not completed, and was", id))
		}
	}
	if name := HelmName(s.Helm); t.Dead[name] {
		lies = append(lies, name+" is dead")
	}
	for _, ship := range s.Ships {
		word := ship.Status.Word
		if t.Dead[ship.Name] && slices.Contains([]string{"working", "idle", "waiting", "done"}, word) {
			lies = append(lies, fmt.Sprintf("%s lives, and nothing of it runs", ship.Name))
		}
	}
	return lies
}

// Alive reports whether a process exists and has not ended.
func Alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}
