package slottest

import (
	"encoding/json"
	"errors"
	"os"
)

// CostsVar names the environment variable with the path of the file to which costs are appended, a line each.
const CostsVar = "OCAPTAIN_TEST_COSTS"

// Cost is the cost of a test binary, or of a test that takes slots.
type Cost struct {
	Dir       string  `json:"dir"`            // directory of the package
	Test      string  `json:"test,omitempty"` // "" for the whole binary
	Seconds   float64 `json:"seconds"`
	Waited    float64 `json:"waited,omitempty"`    // seconds of waiting for slots
	CPU       float64 `json:"cpu"`                 // seconds
	Processes int     `json:"processes,omitempty"` // processes and threads that were started, 0 if unknown
	Beside    bool    `json:"beside,omitempty"`    // the cost includes other tests of the package that ran at the same time
	Load      float64 `json:"load,omitempty"`      // the highest load of the machine meanwhile
	Left      int     `json:"left,omitempty"`      // processes that were still running when the binary had ended
}

// Write appends the cost to the file of costs, if there is one.
func (c Cost) Write() error {
	file := os.Getenv(CostsVar)
	if file == "" {
		return nil
	}
	var err error
	if c.Dir, err = os.Getwd(); err != nil {
		return err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	return errors.Join(err, f.Close())
}
