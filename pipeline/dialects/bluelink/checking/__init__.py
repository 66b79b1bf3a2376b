"""Static checks: names, types, cycles and children, without computing anything."""
