package slottest

import (
	"encoding/json"
	"errors"
	"os"
)

// CostsVar names the file to which costs are added, each a line.
const CostsVar = "OCAPTAIN_TEST_COSTS"

// Cost is what a test binary costs, or a test that takes slots.
type Cost struct {
	Dir       string  `json:"dir"`            // of the package
	Test      string  `json:"test,omitempty"` // none for the whole binary
	Seconds   float64 `json:"seconds"`
	Waited    float64 `json:"waited,omitempty"`    // seconds, for slots
	CPU       float64 `json:"cpu"`                 // seconds
	Processes int     `json:"processes,omitempty"` // and threads that were started, 0 when it is not known
	Beside    bool    `json:"beside,omitempty"`    // what other tests of the package did meanwhile is in it
	Load      float64 `json:"load,omitempty"`      // the largest of the machine meanwhile
	Left      int     `json:"left,omitempty"`      // processes that ran when the binary had ended
}

// Write adds the cost to the file of costs, if there is one.
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
