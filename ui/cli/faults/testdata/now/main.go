// Command now prints the time of day again and again.
package main

import (
	"fmt"
	"time"
)

func main() {
	for {
		if _, err := fmt.Println(time.Now().Unix()); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
