package nit_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
)

// TestThereIsOneDoor holds that nothing that is handed out runs a tool but View.Call and View.Do: whoever adds a
// method to one of these types says here that it is no second way in, or out.
func TestThereIsOneDoor(t *testing.T) {
	for _, tt := range []struct {
		of      reflect.Type
		methods []string
	}{
		{reflect.TypeFor[nit.Tool](), []string{"Name"}},
		{reflect.TypeFor[*nit.View](), []string{"As", "Audited", "Call", "Confirm", "Do", "Guarded", "Has", "Narrow", "Sees", "Shed", "Some", "Tools", "Under"}},
		{reflect.TypeFor[*nit.Registry](), []string{"Add", "Disable", "DisableIn", "Enable", "EnableIn", "Remove", "Replace", "View", "Wait"}},
		{reflect.TypeFor[*nit.Plugins](), []string{"List", "Load", "Reload", "Run", "Send", "Set", "Settings", "SwitchCategory", "SwitchPlugin", "Switches", "Unload"}},
		{reflect.TypeFor[*nit.Host](), []string{"Send", "Set", "Setting"}},
		{reflect.TypeFor[nit.Info](), []string{"GivenIn", "NamedIn"}},
		{reflect.TypeFor[nit.Record](), nil},
	} {
		var got []string
		for i := range tt.of.NumMethod() {
			got = append(got, tt.of.Method(i).Name)
		}
		slices.Sort(got)
		assert.Equal(t, tt.methods, got, "%v", tt.of)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[nit.Tool](), reflect.TypeFor[nit.View](), reflect.TypeFor[nit.Host](), reflect.TypeFor[nit.Plugins]()} {
		for i := range of.NumField() {
			assert.False(t, of.Field(i).IsExported(), "%v.%s", of, of.Field(i).Name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[nit.Info](), reflect.TypeFor[nit.Record](), reflect.TypeFor[nit.Request]()} {
		for i := range of.NumField() {
			assert.NotEqual(t, reflect.Func, of.Field(i).Type.Kind(), "%v.%s", of, of.Field(i).Name)
		}
	}
}
