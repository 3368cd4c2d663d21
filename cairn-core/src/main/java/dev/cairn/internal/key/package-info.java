/** How keys are encoded, hashed and held in memory. Not an API. */
package dev.cairn.internal.key;
