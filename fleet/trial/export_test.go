package trial

import "time"

func init() { patience = 40 * time.Second }
