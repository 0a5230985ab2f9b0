package manifest

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows/registry"
)

// OpenRegistry gives this user's registry.
func OpenRegistry() Registry { return currentUser{} }

type currentUser struct{}

func (currentUser) Get(key string) (string, bool, error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read key %q: %w", key, err)
	}
	defer k.Close()
	value, _, err := k.GetStringValue("")
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read key %q: %w", key, err)
	}
	return value, true, nil
}

func (currentUser) Set(key, value string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err == nil {
		err = errors.Join(k.SetStringValue("", value), k.Close())
	}
	if err != nil {
		return fmt.Errorf("write key %q: %w", key, err)
	}
	return nil
}

func (currentUser) Delete(key string) error {
	if err := registry.DeleteKey(registry.CURRENT_USER, key); err != nil {
		return fmt.Errorf("delete key %q: %w", key, err)
	}
	return nil
}
