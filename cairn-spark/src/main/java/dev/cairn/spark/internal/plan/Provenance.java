package dev.cairn.spark.internal.plan;

import static dev.cairn.spark.internal.ScalaInterop.list;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;

/**
 * How an expression's value comes about in the plan below it.
 *
 * @param expressions that compute it, from itself down to the sources
 * @param sources the leaves of the plan that hold columns of it, with those columns
 */
record Provenance(List<Expression> expressions, List<Source> sources) {
    /** Columns of a leaf. */
    record Source(LogicalPlan leaf, List<Attribute> columns) {}

    static Provenance of(Expression expression, LogicalPlan below) {
        Search search = new Search();
        search.follow(expression);
        search.descend(below);
        return new Provenance(List.copyOf(search.expressions), List.copyOf(search.sources));
    }

    private static final class Search {
        private final Set<Long> wanted = new HashSet<>();
        private final List<Expression> expressions = new ArrayList<>();
        private final List<Source> sources = new ArrayList<>();

        void follow(Expression expression) {
            expressions.add(expression);
            list(expression.references().toSeq()).forEach(this::want);
        }

        private void want(Attribute attribute) {
            wanted.add(attribute.exprId().id());
        }

        private boolean isWanted(Attribute attribute) {
            return wanted.contains(attribute.exprId().id());
        }

        void descend(LogicalPlan plan) {
            for (Expression expression : list(plan.expressions())) {
                if (expression instanceof Alias alias && isWanted(alias.toAttribute())) {
                    follow(alias.child());
                }
            }
            if (plan instanceof Union union) {
                List<Attribute> outputs = list(union.output());
                for (LogicalPlan branch : list(union.children())) {
                    List<Attribute> ofBranch = list(branch.output());
                    for (int i = 0; i < outputs.size(); i++) {
                        if (isWanted(outputs.get(i))) {
                            want(ofBranch.get(i));
                        }
                    }
                }
            }
            if (plan instanceof Generate generate
                    && list(generate.generatorOutput()).stream().anyMatch(this::isWanted)) {
                follow((Expression) generate.generator());
            }
            List<LogicalPlan> children = list(plan.children());
            if (children.isEmpty()) {
                List<Attribute> columns =
                        list(plan.output()).stream().filter(this::isWanted).toList();
                if (!columns.isEmpty()) {
                    sources.add(new Source(plan, columns));
                }
            }
            children.forEach(this::descend);
        }
    }
}
