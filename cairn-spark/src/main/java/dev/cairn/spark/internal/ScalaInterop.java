package dev.cairn.spark.internal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction1;

/** The one place that converts between Java's and Scala's collections and functions. */
public final class ScalaInterop {
    private ScalaInterop() {}

    public static <T> Seq<T> seq(List<? extends T> list) {
        return CollectionConverters.<T>asScala(List.<T>copyOf(list)).toSeq();
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    public static <T> Seq<T> seq(T... elements) {
        return seq(List.of(elements));
    }

    /** A copy: what Spark hands out may be lazy. */
    public static <T> List<T> list(scala.collection.Iterable<? extends T> elements) {
        return List.copyOf(CollectionConverters.<T>asJavaCollection(widen(elements)));
    }

    @SuppressWarnings("unchecked")
    private static <T> scala.collection.Iterable<T> widen(scala.collection.Iterable<? extends T> elements) {
        return (scala.collection.Iterable<T>) elements;
    }

    public static <K, V> Map<K, V> map(scala.collection.Map<K, V> map) {
        return Map.copyOf(CollectionConverters.asJava(map));
    }

    @SuppressWarnings("unchecked")
    public static <K, V> scala.collection.immutable.Map<K, V> scalaMap(Map<K, V> map) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
    }

    public static <T> Optional<T> optional(Option<? extends T> option) {
        return option.isDefined() ? Optional.of(option.get()) : Optional.empty();
    }

    public static <A, B> Function1<A, B> function(Function<A, B> function) {
        return new AbstractFunction1<A, B>() {
            @Override
            public B apply(A argument) {
                return function.apply(argument);
            }
        };
    }

    public static <T> ClassTag<T> classTag(Class<T> type) {
        return scala.reflect.ClassTag$.MODULE$.apply(type);
    }
}
